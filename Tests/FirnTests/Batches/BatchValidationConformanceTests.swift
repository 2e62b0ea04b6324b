import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Batch updates and the model's validation rules.
@Suite("Conformance (m): validation and batch updates")
struct BatchValidationConformanceTests {
    private let context: NSManagedObjectContext

    init() throws {
        let code = ModelSketch.attribute("code", optional: false)
        let price = ModelSketch.attribute("price", .integer32AttributeType)
        price.setValidationPredicates([NSPredicate(format: "SELF >= 1")], withValidationWarnings: ["too cheap"])
        context = try Library.inMemory(ModelSketch.model(ModelSketch.entity("Stamp", [code, price]))).context()
        _ = context.make("Stamp", ["code": "A", "price": 5])
        try context.save()
    }

    private func update(_ values: [AnyHashable: Any], validates: Bool) throws {
        let request = NSBatchUpdateRequest(entityName: "Stamp")
        request.propertiesToUpdate = values
        request.validatesValues = validates
        _ = try context.execute(request)
    }

    private func stored() throws -> [String?] {
        let reader = try #require(context.persistentStoreCoordinator).context()
        return try reader.all("Stamp").map { "\($0.text("code") ?? "-") \($0.number("price") ?? 0)" }
    }

    /// [AD] Batch requests run in the store, where no validation rule is known.
    @Test("m.28 a batch update does not validate")
    func unchecked() throws {
        try update(["price": 0, "code": NSNull()], validates: false)
        #expect(try stored() == ["- 0"])
        try update(["price": NSExpression(format: "price - 1")], validates: false)
        #expect(try stored() == ["- -1"])
    }

    @Test("m.28 a batch update that is asked to validate fails with the code of the rule, and writes nothing")
    func checked() throws {
        let missing = #expect(throws: NSError.self) { try update(["code": NSNull()], validates: true) }
        #expect(missing?.code == NSValidationMissingMandatoryPropertyError)
        let low = #expect(throws: NSError.self) { try update(["price": 0], validates: true) }
        #expect(low?.localizedDescription == "too cheap")
        #expect(throws: NSError.self) { try update(["price": NSExpression(format: "price - 5")], validates: true) }
        #expect(try stored() == ["A 5"])
    }

    @Test("m.28 a copy of a batch update validates as the request does")
    func copying() throws {
        let request = NSBatchUpdateRequest(entityName: "Stamp")
        request.validatesValues = true
        #expect((request.copy() as? NSBatchUpdateRequest)?.validatesValues == true)
    }
}
