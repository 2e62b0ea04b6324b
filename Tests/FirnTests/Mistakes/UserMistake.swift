import Firn
import Foundation
import Synchronization
import StoreSupport

/// What a programmer may do wrong with the framework, and the words with which the program must end.
struct UserMistake: Sendable, CustomStringConvertible {
    let name: String
    /// Parts of the message that name the mistake.
    let words: [String]
    /// Makes the mistake: it stops the program, or throws.
    let commit: @Sendable () throws -> Void

    init(_ name: String, _ words: String..., commit: @escaping @Sendable () throws -> Void) {
        self.init(name, words: words, commit: commit)
    }

    init(_ name: String, words: [String], commit: @escaping @Sendable () throws -> Void) {
        self.name = name
        self.words = words
        self.commit = commit
    }

    var description: String { name }

    static let all = entities + models + keys + values + members + contexts + requests + batches + predicates

    /// Contexts that live as long as the program.
    private static let kept = Mutex<[NSManagedObjectContext]>([])

    static func keep(_ context: NSManagedObjectContext) -> NSManagedObjectContext {
        kept.withLock { $0.append(context) }
        return context
    }

    /// A context over a store in memory.
    static func newContext() throws -> NSManagedObjectContext { keep(try Library.inMemory().context()) }

    static func contextWithoutCoordinator() -> NSManagedObjectContext {
        keep(NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType))
    }

    /// A new object in a context of a coordinator of its own.
    static func newAuthor() throws -> NSManagedObject { try newContext().make("Author", ["name": "Ada"]) }

    /// A new book with an author.
    static func newBook() throws -> NSManagedObject {
        let context = try newContext()
        return context.make("Book", ["author": context.make("Author")])
    }
}

/// A class that no model names.
final class Unmodeled: NSManagedObject {}
