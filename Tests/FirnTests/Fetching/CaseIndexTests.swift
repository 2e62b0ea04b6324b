import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("An index without regard to case")
struct CaseIndexTests {
    /// Foundation's comparison without case is no order: beépít < belép < béke < beépít. A B-tree of it loses rows.
    @Test("==[c] finds every text that an index of lowercase:(name) has")
    func finds() throws {
        let words = [
            "beépít", "beépül", "beég", "belép", "belső", "bemegy", "benő", "bér", "béka", "béke", "bélyeg", "beszéd",
            "bé", "leépít", "leér", "leég", "lép", "lépés", "lé", "len", "levél", "lélek", "le", "elérés", "elég",
            "elad", "ere", "erő", "él", "élet", "ég", "égő", "ember", "meg", "mégis", "mély", "mese", "mező", "rend",
            "rét", "réteg", "rész", "teér", "tej", "tél", "tér", "tenger", "te", "té",
        ]
        let lowered = NSExpressionDescription()
        lowered.name = "lowered"
        lowered.expression = NSExpression(format: "lowercase:(name)")
        lowered.expressionResultType = .stringAttributeType
        let entity = ModelSketch.entity("Word", [ModelSketch.attribute("name")])
        entity.indexes = [
            NSFetchIndexDescription(name: "by", elements: [.init(property: lowered, collationType: .binary)])
        ]
        let context = try Library.inMemory(ModelSketch.model(entity)).context()
        for word in words + words.reversed() { _ = context.make("Word", ["name": word]) }
        try context.save()
        for word in words {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Word")
            request.predicate = NSPredicate(format: "name ==[c] %@", word)
            #expect(try context.count(for: request) == 2, "\(word)")
        }
    }
}
