import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

@Suite("A controller whose predicate cannot be evaluated for an object")
struct ResultsPredicateTests {
    /// The expectation: the program is not stopped. (The fetch of the same context reports an error.)
    @Test("does not stop the program when somebody enters an unfinished pattern")
    func pattern() async {
        await #expect(processExitsWith: .success) { try ResultsPredicateTests.change("'aaa' MATCHES name", "a+", "[") }
    }

    @Test("does not stop the program for a text on which a pattern takes long")
    func long() async {
        await #expect(processExitsWith: .success) {
            try ResultsPredicateTests.change("name MATCHES '(a+)+b'", "ab", String(repeating: "a", count: 40))
        }
    }

    @Test("does not stop the program for a text that is no number")
    func cast() async {
        await #expect(processExitsWith: .success) {
            try ResultsPredicateTests.change("CAST(name, 'NSNumber') > 5", "7", "seven")
        }
    }

    private static func change(_ format: String, _ fitting: String, _ other: String) throws {
        let context = try Library.inMemory().context()
        _ = context.make("Author", ["name": fitting])
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.predicate = NSPredicate(format: format)
        let witness = ListWitness()
        let controller = try witness.watched(request, in: context)
        _ = context.make("Author", ["name": other])
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 1)
    }
}
