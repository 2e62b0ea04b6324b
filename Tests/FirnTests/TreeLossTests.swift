import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Programs in a tree of three contexts, in all orders: what is changed after others were rolled back, reset or
/// refreshed is stored by the saves that follow, or one of them throws.
@Suite("A save in a tree of contexts is stored, or says that it is not")
struct TreeLossTests {
    enum Origin: CaseIterable { case store, root, middle, leaf }
    enum Edit: CaseIterable { case name, author, deletion, insertion }

    struct Step: CustomStringConvertible {
        enum Kind: CaseIterable { case save, rollback, reset, refresh, delete }
        let kind: Kind
        let level: Int
        var description: String { "\(kind) \(["root", "middle", "leaf"][level])" }
        static let all = Kind.allCases.flatMap { kind in (0...2).map { Step(kind: kind, level: $0) } }
    }

    /// The steps of the longest programs; with three there are 3,600 for each origin and edit.
    private static let lengthMax = ProcessInfo.processInfo.environment["FIRN_TREE_STEPS"].flatMap(Int.init) ?? 2

    @Test("whatever was saved, rolled back, reset or refreshed before", arguments: Origin.allCases, Edit.allCases)
    func programs(_ origin: Origin, _ edit: Edit) throws {
        let coordinator = try Library.inMemory()
        var programs: [[Step]] = [[]]
        var count = 0
        for length in 0...Self.lengthMax {
            for steps in programs {
                count += 1
                if let loss = try Tree(coordinator, origin, count).loss(of: edit, after: steps) {
                    Issue.record("\(origin), \(steps), \(edit) in the leaf, and three saves: \(loss)")
                    return
                }
            }
            if length < Self.lengthMax { programs = programs.flatMap { steps in Step.all.map { steps + [$0] } } }
        }
    }

    private final class Tree {
        let coordinator: NSPersistentStoreCoordinator
        let contexts: [NSManagedObjectContext]
        let (author, book): (NSManagedObjectID, NSManagedObjectID)
        let name: String
        private let held: [NSManagedObject]

        init(_ coordinator: NSPersistentStoreCoordinator, _ origin: Origin, _ number: Int) throws {
            self.coordinator = coordinator
            let root = coordinator.context()
            let middle = root.makeChild()
            contexts = [root, middle, middle.makeChild()]
            name = "\(number)"
            let maker = contexts[[.store: 0, .root: 0, .middle: 1, .leaf: 2][origin] ?? 0]
            held = [maker.make("Author", ["name": "old"]), maker.make("Book", ["title": "old"])]
            if origin == .store { try root.save() }
            (author, book) = (held[0].objectID, held[1].objectID)
        }

        private func run(_ step: Step) throws {
            let context = contexts[step.level]
            switch step.kind {
            case .save: try context.save()
            case .rollback: context.rollback()
            case .reset: context.reset()
            case .refresh: context.refreshAllObjects()
            case .delete: for id in [author, book] { context.delete(try context.existingObject(with: id)) }
            }
        }

        func loss(of edit: Edit, after steps: [Step]) throws -> String? {
            // What is refused stays where it is.
            for step in steps { try? run(step) }
            let leaf = contexts[2]
            let isDeleted = steps.contains { $0.kind == .delete }
            let isDropped = isDeleted || steps.contains { $0.kind == .rollback || $0.kind == .reset }
            guard let author = try? leaf.existingObject(with: author), let book = try? leaf.existingObject(with: book),
                !author.isDeleted, !book.isDeleted
            else { return isDropped ? nil : "the leaf does not show it" }
            let new = edit == .insertion ? leaf.make("Book", ["title": name]) : nil
            switch edit {
            case .name: author.setValue(name, forKey: "name")
            case .author: book.setValue(author, forKey: "author")
            case .deletion: leaf.delete(book)
            case .insertion: new?.setValue(author, forKey: "author")
            }
            for context in contexts.reversed() {
                do { try context.save() } catch { return isDropped ? nil : "\(error)" }
            }
            if contexts.contains(where: \.hasChanges) { return "there are changes left" }
            // The saves are seen where they were made. What reads an object takes over the permanent IDs.
            leaf.refreshAllObjects()
            for object in [author, book, new].compactMap({ $0 }) { _ = try? leaf.existingObject(with: object.objectID) }
            let reader = coordinator.context()
            defer { withExtendedLifetime(reader) {} }
            if isDeleted, let known = [author, book, new].compactMap({ $0 }).first(where: \.isDeleted) {
                return stored(known, reader) == nil ? nil : "\(known) is deleted in the leaf alone"
            }
            return difference(edit, author, book, new, reader)
        }

        private func stored(_ object: NSManagedObject, _ reader: NSManagedObjectContext) -> NSManagedObject? {
            object.objectID.isTemporaryID ? nil : try? reader.existingObject(with: object.objectID)
        }

        private func difference(
            _ edit: Edit, _ author: NSManagedObject, _ book: NSManagedObject, _ new: NSManagedObject?,
            _ reader: NSManagedObjectContext
        ) -> String? {
            switch edit {
            case .name:
                let name = stored(author, reader)?.text("name")
                return name == self.name ? nil : "the name is \(name ?? "none")"
            case .author:
                let author = stored(book, reader)?.value(forKey: "author") as? NSManagedObject
                return author == nil ? "the book has no author" : nil
            case .deletion: return stored(book, reader) == nil ? nil : "the book is there"
            case .insertion:
                let book = new.flatMap { stored($0, reader) }
                return book?.value(forKey: "author") == nil ? "the new book is not there, or has no author" : nil
            }
        }
    }
}
