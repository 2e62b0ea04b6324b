import Firn
import FirnInspection
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Random saves that are undone")
struct ReversalProgramTests {
    private static let saveCount = 20

    @Test("leave objects, members and their orders as they were; undone again, as they had become")
    func random() {
        let count = SeededGenerator.operations(usually: 15 * Self.saveCount) / Self.saveCount
        let failures = SeededGenerator().failures(in: count, atMost: 3) { generator in
            var program = try ReversalProgram(generator)
            for _ in 0..<Self.saveCount { try program.step() }
        }
        #expect(failures.isEmpty, "\(failures)")
    }
}

/// A store in memory with lists, of which each save is undone.
private struct ReversalProgram {
    struct Failure: Error {
        let text: String
    }

    private static let model = """
        Author: uid String, books ->> Book.author ordered
        Book: uid String, title String, author -> Author.books, tags ->> Tag.books ordered, \
        friends ->> Book.friendOf, friendOf ->> Book.friends ordered, sequel -> Book.prequel, prequel -> Book.sequel
        Tag: uid String, books ->> Book.tags
        """

    private var generator: SeededGenerator
    private let coordinator: NSPersistentStoreCoordinator
    private let store: NSPersistentStore
    private var last = 0

    init(_ generator: SeededGenerator) throws {
        self.generator = generator
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: try ModelText.model(Self.model))
        store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    }

    private var head: SequenceNumber? {
        coordinator.currentPersistentHistoryToken(fromStores: nil)?.positions.values.first?.sequence
    }

    /// Saves some edits, undoes the save, and then perhaps the reversal.
    mutating func step() throws {
        let (before, start) = (try state(), head)
        let context = coordinator.context()
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            try edit(context)
            context.processPendingChanges()
        }
        if context.hasChanges { try context.save() }
        if head == start { return }
        let after = try state()
        try undo(expecting: before)
        if Bool.random(using: &generator) { try undo(expecting: after) }
    }

    private func undo(expecting expected: [String]) throws {
        guard let head, let log = store.historyEngine?.log else { return }
        let reversal = try Reversal(
            .record(log.record(at: head)), in: store, of: coordinator, author: "test", name: "test"
        ) { try $1.save() }
        let found = try state()
        guard !reversal.obstacles.isEmpty || found != expected else { return }
        let lines = Set(found).symmetricDifference(expected).sorted().map { (found.contains($0) ? "+ " : "- ") + $0 }
        throw Failure(
            text: "\(generator), record \(head): \(reversal.obstacles.map(\.text)) " + lines.joined(separator: "; "))
    }

    private mutating func edit(_ context: NSManagedObjectContext) throws {
        func pick(_ entity: String) throws -> NSManagedObject? {
            try context.all(entity, sortedBy: "uid").filter { !$0.isDeleted }.randomElement(using: &generator)
        }
        let (book, other, author, tag) = try (pick("Book"), pick("Book"), pick("Author"), pick("Tag"))
        switch Int.random(in: 0...9, using: &generator) {
        case 0, 1:
            last += 1
            let values: [String: Any?] = ["uid": "b\(last)", "author": author]
            _ = context.make("Book", values.compactMapValues(\.self))
        case 2:
            last += 1
            _ = context.make(Bool.random(using: &generator) ? "Author" : "Tag", ["uid": "o\(last)"])
        case 3: book?.setValue("title \(last)", forKey: "title")
        case 4: book?.setValue(Bool.random(using: &generator) ? author : nil, forKey: "author")
        case 5: author.map { shuffle("books", of: $0) }
        case 6: if let book, let tag { toggle(tag, in: "tags", of: book) }
        case 7: if let book, let other { toggle(other, in: "friendOf", of: book) }
        case 8: if let book, let other, book !== other { book.setValue(other, forKey: "sequel") }
        default: [book, author, tag].randomElement(using: &generator)?.map(context.delete)
        }
    }

    private mutating func shuffle(_ list: String, of owner: NSManagedObject) {
        let members = (owner.value(forKey: list) as? NSOrderedSet)?.array ?? []
        owner.setValue(NSOrderedSet(array: members.shuffled(using: &generator)), forKey: list)
    }

    /// Removes a member of a list, or inserts it at any place.
    private mutating func toggle(_ member: NSManagedObject, in list: String, of owner: NSManagedObject) {
        let members = NSMutableOrderedSet(orderedSet: owner.value(forKey: list) as? NSOrderedSet ?? NSOrderedSet())
        if members.contains(member) {
            members.remove(member)
        } else {
            members.insert(member, at: Int.random(in: 0...members.count, using: &generator))
        }
        owner.setValue(members, forKey: list)
    }

    /// A line for each object, which other objects are named in by what stays when one is made again.
    private func state() throws -> [String] {
        func text(_ value: Any?) -> String {
            switch value {
            case let object as NSManagedObject: text(object.value(forKey: "uid"))
            case let list as NSOrderedSet: "\(list.array.map { text($0) })"
            case let set as Set<NSManagedObject>: "\(set.map { text($0) }.sorted())"
            default: value.map { "\($0)" } ?? "nil"
            }
        }
        let context = coordinator.context()
        return try ["Author", "Book", "Tag"].flatMap { try context.all($0) }.map { object in
            object.entity.propertiesByName.keys.sorted().map { "\($0) \(text(object.value(forKey: $0)))" }
                .joined(separator: ", ")
        }.sorted()
    }
}
