import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import TestSupport

/// A random program of objects that are related as those of the other programs are not: with themselves, in an order at
/// both sides, by relationships of a superclass, and without an inverse.
///
/// No plain model says what is right. Both sides of each relationship say the same, and each context shows what the
/// one shows that it reads from: its parent, or a new one on the store.
final class LinkProgram {
    /// The contexts of a program, and how the others hear of what one saves.
    enum Kind: CaseIterable {
        /// Contexts above each other, of which one is edited at a time.
        case tree
        /// Two roots and a child of one, which merge notifications.
        case merging
        /// Two roots and two contexts below one of them, which merge by themselves.
        case following
        /// As `merging`, and deletions by batches, of which nothing but the IDs is told.
        case batches
        /// Two roots, of which one undoes and redoes what it did before it merged.
        case undoing
    }

    /// The properties of objects, by their names and the object's.
    typealias Shown = [String: [String: String]]

    private var generator: SeededGenerator
    let kind: Kind
    let coordinator: NSPersistentStoreCoordinator
    private(set) var contexts: [NSManagedObjectContext]
    /// Objects in hand; the others may leave their contexts when nothing of them is unsaved.
    var held: [NSManagedObject] = []
    private var count = 0
    private var trace: [String] = []
    private static let sizeLimit = 14

    init(_ kind: Kind, _ generator: SeededGenerator) throws {
        var generator = generator
        let model = try Self.model(isCascading: Bool.random(using: &generator))
        coordinator = try Library.inMemory(model)
        self.kind = kind
        let root = coordinator.context()
        contexts = kind == .tree ? [root] : [root, coordinator.context()]
        if kind != .undoing { contexts.append(root.makeChild()) }
        if kind == .tree || kind == .following, let child = contexts.last { contexts.append(child.makeChild()) }
        for (index, context) in contexts.enumerated() {
            context.name = "context \(index)"
            if index != 1 || kind == .tree { context.automaticallyMergesChangesFromParent = kind == .following }
            guard kind == .undoing && index == 0 || Bool.random(using: &generator) else { continue }
            context.undoManager = FirnFoundation.UndoManager()
            context.undoManager?.groupsByEvent = false
        }
        self.generator = generator
    }

    private static func model(isCascading: Bool) throws -> NSManagedObjectModel {
        let model = try ModelText.model(
            """
            Node: name String, parent -> Node.children, children ->> Node.parent ordered, friends ->> Node.friends, \
            spouse -> Node.spouse, link -> Node, bag ->> Node, row ->> Node ordered, likes ->> Node.likedBy ordered, \
            likedBy ->> Node.likes ordered, key -> Node.lock, lock -> Node.key, groups ->> Group.top
            Leaf < Node: owner -> Group.leaves
            Group: name String, leaves ->> Leaf.owner, top -> Node.groups, inner ->> Group.outer ordered, \
            outer ->> Group.inner
            """)
        if isCascading {
            model.entitiesByName["Node"]?.relationshipsByName["children"]?.deleteRule = .cascadeDeleteRule
            model.entitiesByName["Group"]?.relationshipsByName["leaves"]?.deleteRule = .cascadeDeleteRule
        }
        return model
    }

    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    func pick<C: Collection>(_ all: C) -> C.Element? { all.randomElement(using: &generator) }
    func note(_ context: NSManagedObjectContext, _ text: String) { trace.append("\(context.name ?? "?"): \(text)") }

    func failure(_ text: String) -> GraphProgram.Mismatch {
        GraphProgram.Mismatch(description: "\(generator), \(kind): \(text)\n  " + trace.joined(separator: "\n  "))
    }

    func run(_ count: Int) throws {
        do { for _ in 0..<count { try step() } } catch let error where !(error is GraphProgram.Mismatch) {
            throw failure("\(error)")
        }
    }

    func objects(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try (context.all("Node") + context.all("Group")).sorted { $0.text("name") ?? "" < $1.text("name") ?? "" }
    }

    /// The properties that a context shows. A reference that leads nowhere, as no inverse ended it, shows nothing.
    func shown(_ context: NSManagedObjectContext) throws -> Shown {
        let shown = try context.performAndWait {
            try self.objects(context).reduce(into: Shown()) { result, object in
                let name = object.text("name") ?? ""
                if result[name] != nil { throw self.failure("\(context.name ?? "?") has two objects \(name)") }
                result[name] = object.entity.relationshipsByName.mapValues { relationship in
                    let names = object.related(relationship.name).compactMap { other in
                        other.text("name").flatMap { other.isDeleted || other.managedObjectContext == nil ? nil : $0 }
                    }
                    return (relationship.isOrdered ? names : names.sorted()).joined(separator: " ")
                }
            }
        }
        try checkInverses(shown, context)
        return shown
    }

    private func checkInverses(_ shown: Shown, _ context: NSManagedObjectContext) throws {
        let relationships = coordinator.managedObjectModel.entities.flatMap { $0.relationshipsByName.values }
        let inverses = Dictionary(relationships.map { ($0.name, $0.inverseRelationship?.name) }) { $1 }
        for (name, properties) in shown {
            for (key, value) in properties {
                guard let inverse = inverses[key] ?? nil else { continue }
                for other in value.split(separator: " ") {
                    let names = shown[String(other)]?[inverse]?.split(separator: " ") ?? []
                    if names.contains(Substring(name)) { continue }
                    throw failure("\(context.name ?? "?"): \(key) of \(name) is \(value), not \(inverse) of \(other)")
                }
            }
        }
    }

    /// Holds what a context shows to what it should.
    func expect(_ context: NSManagedObjectContext, _ expected: Shown, _ when: String) throws {
        let seen = try shown(context)
        let names = Set(seen.keys).union(expected.keys).sorted().filter { seen[$0] != expected[$0] }
        if names.isEmpty { return }
        let differences = names.map { name -> String in
            guard let now = seen[name], let then = expected[name] else { return "\(name) is there or is not" }
            return now.keys.sorted().filter { now[$0] != then[$0] }.map {
                "\($0) of \(name) is \(now[$0] ?? ""), expected \(then[$0] ?? "")"
            }.joined(separator: ", ")
        }
        throw failure("\(context.name ?? "?") \(when): " + differences.joined(separator: "; "))
    }

    /// Makes a few changes, as one event.
    func edit(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            for _ in 0..<self.number(1...3) { try self.editOnce(context) }
            context.processPendingChanges()
        }
    }

    private func editOnce(_ context: NSManagedObjectContext) throws {
        let objects = try objects(context)
        let choice = number(0...14)
        guard objects.count > 2, choice > 1 || objects.count >= Self.sizeLimit, let object = pick(objects) else {
            count += 1
            note(context, "insert n\(count)")
            return held.append(context.make(pick(["Node", "Leaf", "Group"]) ?? "Node", ["name": "n\(count)"]))
        }
        let name = object.text("name") ?? ""
        if choice < 5 {
            note(context, "delete \(name)")
            return context.delete(object)
        }
        let keys = object.entity.relationshipsByName.keys.sorted()
        guard let key = pick(keys), let relationship = object.entity.relationshipsByName[key] else { return }
        let targets = objects.filter { object in
            relationship.destinationEntity.map(object.entity.isKindOf(entity:)) ?? false
        }
        var members = object.related(key)
        if !relationship.isToMany {
            members = chance(3) ? [] : pick(targets).map { [$0] } ?? []
        } else {
            if chance(2) { members.removeAll { _ in self.chance(3) } }
            for target in targets.shuffled(using: &generator).prefix(number(0...2)) where !members.contains(target) {
                members.insert(target, at: number(0...members.count))
            }
        }
        note(context, "\(key) of \(name) to \(members.map { $0.text("name") ?? "" })")
        switch (relationship.isToMany, relationship.isOrdered) {
        case (false, _): object.setValue(members.first, forKey: key)
        case (true, true): object.setValue(NSOrderedSet(array: members), forKey: key)
        case (true, false): object.setValue(NSSet(array: members), forKey: key)
        }
    }
}

extension NSManagedObject {
    /// The objects at the other end of a relationship.
    func related(_ key: String) -> [NSManagedObject] {
        let value = value(forKey: key)
        if let object = value as? NSManagedObject { return [object] }
        let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        return members.compactMap { $0 as? NSManagedObject }
    }
}
