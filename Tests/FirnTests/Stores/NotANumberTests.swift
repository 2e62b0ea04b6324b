import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// SQLite keeps no NaN, so the tables hold a text in its place. What Apple's store makes of one is said nowhere; null
/// would be a loss that nobody is told of.
@Suite("Values that are no number")
struct NotANumberTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The heights of all authors by name, and whether their birthdays are no number, as a new coordinator reads them.
    private func isNoNumber() throws -> [String: [Bool]] {
        OpenProjectors.catchUp()
        let context = try Library.onDisk(directory).context()
        return try context.performAndWait {
            var result: [String: [Bool]] = [:]
            for author in try context.all("Author") {
                let height = try #require(author.value(forKey: "height") as? Double)
                let born = author.value(forKey: "born") as? Date
                result[author.text("name") ?? ""] = [
                    height.isNaN, born?.timeIntervalSinceReferenceDate.isNaN ?? false,
                ]
            }
            return result
        }
    }

    @Test("a NaN is kept, saved one by one or in a batch, in the tables and in tables that are built anew")
    func kept() throws {
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        try context.performAndWait {
            let never = Date(timeIntervalSinceReferenceDate: .nan)
            _ = context.make("Author", ["name": "Ada", "height": Double.nan, "born": never])
            _ = context.make("Author", ["name": "Bob", "height": 1.5])
            try context.save()
            let inserted: [[String: Any]] = [["name": "Cid", "height": Double.nan]]
            _ = try context.execute(NSBatchInsertRequest(entityName: "Author", objects: inserted))
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.predicate = NSPredicate(format: "name == 'Bob'")
            update.propertiesToUpdate = ["height": Double.nan]
            _ = try context.execute(update)
        }
        let expected = ["Ada": [true, true], "Bob": [true, false], "Cid": [true, false]]
        #expect(try isNoNumber() == expected)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try directory.file("Library.sqlite").discardTables()
        #expect(try isNoNumber() == expected)
    }
}
