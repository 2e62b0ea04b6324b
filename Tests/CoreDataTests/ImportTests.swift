import CoreData
import Foundation
import Testing

/// That this file compiles is the test: with both imports, every name below resolves without its module.
@Suite("import CoreData beside import Foundation")
struct ImportTests {
    @Test("names that both modules have resolve to ours, in types, casts and expressions")
    func names() {
        let predicate: NSPredicate = NSPredicate(format: "name == %@", "Ada")
        #expect((predicate as Any) is NSComparisonPredicate)
        let expression: NSExpression = NSExpression(forKeyPath: "name")
        #expect(expression.keyPath == "name")
        let sort: NSSortDescriptor = NSSortDescriptor(key: "name", ascending: true)
        #expect(sort.key == "name")
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [predicate, predicate])
        #expect(both.subpredicates.count == 2)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = predicate
        request.sortDescriptors = [sort]
        #expect(request.entityName == "Author")
    }
}
