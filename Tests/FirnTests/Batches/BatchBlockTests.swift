import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Rows of whole numbers that are set in one order are gathered before columns take them: one that is different must
/// not disturb those before and after.
@Suite("A batch insert of many rows of whole numbers")
struct BatchBlockTests {
    enum Oddity: CaseIterable, Sendable {
        case none, otherOrder, lastMissing, firstMissing, null, nothing
    }

    private static let count = 200
    private let context: NSManagedObjectContext

    init() throws {
        let entity = NSEntityDescription()
        entity.name = "Triple"
        let types: [NSAttributeType] = [.integer16AttributeType, .integer32AttributeType, .integer64AttributeType]
        entity.properties = zip(["a", "b", "c"], types).map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        context = try Library.inMemory(model).context()
    }

    private static func values(_ row: Int, _ oddity: Oddity) -> [(String, Int?)] {
        let all: [(String, Int?)] = [("a", row), ("b", -row), ("c", row << 40)]
        return switch oddity {
        case .none: all
        case .otherOrder: [all[2], all[0], all[1]]
        case .lastMissing: [all[0], all[1]]
        case .firstMissing: [all[1], all[2]]
        case .null: [all[0], ("b", nil), all[2]]
        case .nothing: []
        }
    }

    private func insert(_ values: @escaping (_ row: Int) -> [(String, Int?)]) throws {
        _ = try context.execute(
            NSBatchInsertRequest(entityName: "Triple", rows: 0..<Self.count) { row, batch in
                for (name, value) in values(row) { batch.set(name, value) }
            })
    }

    /// As the store has them.
    private func stored() throws -> [[Int?]] {
        try context.all("Triple").map { object in ["a", "b", "c"].map { object.value(forKey: $0) as? Int } }
    }

    @Test(
        "has each value where it was set",
        arguments: Oddity.allCases, [[0], [1, 2], [63], [64], [65, 66], [130, 131, 199], Array(3..<200)])
    func oddity(_ oddity: Oddity, at odd: [Int]) throws {
        let odd = Set(odd)
        let rows: (Int) -> [(String, Int?)] = { Self.values($0, odd.contains($0) ? oddity : .none) }
        try insert(rows)
        let expected = (0..<Self.count).map { row in
            let values = Dictionary(rows(row)) { first, _ in first }
            return ["a", "b", "c"].map { values[$0] ?? nil }
        }
        #expect(Set(try stored()) == Set(expected))
        #expect(try stored().count == Self.count)
    }

    @Test("is refused as a whole for a number that does not fit", arguments: [1, 70, 199])
    func unfit(row: Int) throws {
        #expect(throws: (any Error).self) {
            try insert { $0 == row ? [("a", 40_000), ("b", 0), ("c", 0)] : Self.values($0, .none) }
        }
        #expect(try stored().isEmpty)
    }

    @Test("is refused as a whole for a property that is set twice", arguments: [1, 70, 199])
    func twice(row: Int) throws {
        #expect(throws: (any Error).self) {
            try insert { $0 == row ? [("a", 1), ("b", 0), ("a", 2)] : Self.values($0, .none) }
        }
        #expect(try stored().isEmpty)
    }
}
