import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import TestSupport

/// A random program in trees of contexts, up to four levels deep, whose objects have their IDs at each level from
/// another time on. After every step contexts are held to plain dictionaries.
final class TreeProgram {
    /// A context of a tree.
    final class Branch {
        let name: String
        let context: NSManagedObjectContext
        let parent: Branch?
        let depth: Int
        var overlay: PlainOverlay
        /// Objects in hand; the others may leave the context when nothing of them is unsaved.
        var held: [Int: NSManagedObject] = [:]
        var controller: NSFetchedResultsController<NSManagedObject>?
        /// What the controller lists.
        var listed: [Int: PlainNode]?
        /// What was shown before each step that can be undone, or done again.
        var undoable: [[Int: PlainNode]] = []
        var redoable: [[Int: PlainNode]] = []
        /// Whether it has merged something while it, or a context above it, was behind its source.
        var isMixed = false
        let listener = Listener()

        init(_ name: String, _ context: NSManagedObjectContext, parent: Branch?, _ base: [Int: PlainNode]) {
            self.name = name
            self.context = context
            self.parent = parent
            depth = parent.map { $0.depth + 1 } ?? 0
            overlay = PlainOverlay(base)
            context.name = name
        }

        var undoCount: Int { context.performAndWait { context.undoManager?.undoCount ?? 0 } }

        func isBelow(_ other: Branch) -> Bool { parent.map { $0 === other || $0.isBelow(other) } ?? false }
    }

    /// Makes a controller follow its context.
    final class Listener: NSObject, NSFetchedResultsControllerDelegate {
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    }

    var generator: SeededGenerator
    let coordinator: NSPersistentStoreCoordinator
    var branches: [Branch] = []
    /// One store, or two, between which there are no relationships.
    let stores: [NSPersistentStore]
    private let directory: TemporaryDirectory
    let values: Values
    /// What is saved.
    var store: [Int: PlainNode] = [:]
    var lastNumber = 0
    /// The member that was added or removed last, with its owner first.
    var lastPair: (Int, Int)?
    private var branchCount = 0
    /// All IDs that were ever seen of an object, by its number.
    var ids: [Int: [NSManagedObjectID]] = [:]
    /// The last saves, as they were told.
    var told: [Notification] = []
    private var trace: [String] = []
    private(set) var stepCount = 0

    /// The policies of children, which decide about what their parents deleted.
    private static let policies: [NSMergePolicy] = [
        .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    private static let depthMax = 3
    private static let branchCountMax = 7
    static let sizeLimit = 14

    init(_ generator: SeededGenerator) throws {
        var generator = generator
        values = Values(Values.Form.allCases.randomElement(using: &generator) ?? .number)
        let areOnDisk = (0..<Int.random(in: 1...2, using: &generator)).map { _ in Bool.random(using: &generator) }
        self.generator = generator
        directory = try TemporaryDirectory()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model(values))
        let (coordinator, directory) = (coordinator, directory)
        stores = try areOnDisk.enumerated().map { index, isOnDisk in
            try coordinator.addPersistentStore(
                ofType: isOnDisk ? NSSQLiteStoreType : NSInMemoryStoreType, configurationName: nil,
                at: isOnDisk ? directory.file("Store\(index).sqlite") : nil)
        }
        note("values as \(values.form), stores \(stores.map(\.type))")
        grow(nil)
    }

    /// The store of an object.
    func store(of number: Int) -> NSPersistentStore { stores[number % stores.count] }

    /// The entity of an object.
    func entity(of number: Int) -> String { number % 3 == 0 ? "Leaf" : "Node" }

    private static func model(_ values: Values) -> NSManagedObjectModel {
        let (node, leaf) = (NSEntityDescription(), NSEntityDescription())
        (node.name, leaf.name) = ("Node", "Leaf")
        node.subentities = [leaf]
        func relate(_ name: String, _ inverse: String?, _ counts: (Int, Int), _ rule: NSDeleteRule?) {
            let ends = [name, inverse].compactMap { $0 }.map { name in
                let end = NSRelationshipDescription()
                end.name = name
                end.destinationEntity = node
                return end
            }
            (ends[0].maxCount, ends[ends.count - 1].maxCount) = counts
            ends[ends.count - 1].isOrdered = inverse == "owned"
            (ends[0].deleteRule, ends[ends.count - 1].deleteRule) = (.nullifyDeleteRule, rule ?? .nullifyDeleteRule)
            if ends.count == 2 { (ends[0].inverseRelationship, ends[1].inverseRelationship) = (ends[1], ends[0]) }
            node.properties += ends
        }
        node.properties = [ModelSketch.attribute("number", .integer64AttributeType), values.attribute()]
        let rules: [PlainLink: NSDeleteRule] = [.whole: .cascadeDeleteRule, .guardian: .denyDeleteRule]
        for link in PlainLink.allCases {
            let isOneToOne = link == .lock || link == .other
            relate(link.rawValue, link.inverse, (1, isOneToOne ? 1 : 0), rules[link])
        }
        relate("likes", "likedBy", (0, 0), nil)
        let model = NSManagedObjectModel()
        model.entities = [node, leaf]
        return model
    }

    /// The objects that a context reads: its parent's, or the store's.
    func source(of branch: Branch) -> [Int: PlainNode] { branch.parent?.overlay.view ?? store }

    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
    func pick<C: Collection>(_ all: C) -> C.Element? { all.randomElement(using: &generator) }
    /// A value that no object had before this step: a context that is shown an older one is not up to date.
    func newValue() -> Int { Int.random(in: 0..<1000, using: &generator) + 1000 * stepCount }
    func note(_ text: String) { trace.append("\(stepCount) \(text)") }

    func failure(_ text: String) -> GraphProgram.Mismatch {
        GraphProgram.Mismatch(
            description: "\(generator), step \(stepCount): \(text)\n  " + trace.joined(separator: "\n  "))
    }

    func run(_ count: Int) throws {
        do { try runSteps(count) } catch let error where !(error is GraphProgram.Mismatch) {
            throw failure("\(error)")
        }
    }

    private func runSteps(_ count: Int) throws {
        for _ in 0..<count {
            stepCount += 1
            guard let branch = pick(branches) else { return }
            try step(branch)
            if branches.contains(where: { $0 === branch }) { try check(branch) }
            if let other = pick(branches) { try check(other) }
        }
        for branch in branches { try check(branch) }
        try checkStore()
        try removeStore()
    }

    /// Removes one of two stores. All contexts lose its objects, and keep what they changed of others.
    private func removeStore() throws {
        guard stores.count > 1, let gone = pick(stores) else { return }
        note("a store is removed")
        try coordinator.remove(gone)
        store = store.filter { self.store(of: $0.key) !== gone }
        for branch in branches {
            // What was new above it, it learns by a refresh.
            branch.isMixed = branch.parent != nil
            branch.overlay.removeAll { self.store(of: $0) === gone }
            try run(branch, isStep: false) { (branch.held, branch.controller, branch.listed) = ([:], nil, nil) }
        }
        ids = ids.filter { self.store(of: $0.key) !== gone }
        for branch in branches.sorted(by: { $0.depth < $1.depth }) {
            try enqueue(branch) {}
            try check(branch)
        }
        try checkStore()
    }

    private func step(_ branch: Branch) throws {
        switch Int.random(in: 0..<67, using: &generator) {
        case 0..<20: try edit(branch)
        case 20..<28: try save(branch)
        case 28..<30: try saveToStore(branch)
        case 30..<33: try obtain(branch)
        case 33: try discard(branch)
        case 34..<36: grow(branch)
        case 36: grow(nil)
        case 37: try forget(branch)
        case 38: branch.held = [:]
        case 39..<48: try undo(branch, again: !branch.redoable.isEmpty && chance(2))
        case 48..<51: try attemptDenied(branch)
        case 51..<53: try batch(branch)
        case 53..<57: try refreshOne(branch)
        case 57..<59: try refreshStale(branch)
        case 59: follow(branch)
        case 60..<63: try mergeLate(branch)
        default: try lookUp(branch)
        }
    }

    /// Adds a child, or a root.
    private func grow(_ parent: Branch?) {
        if branches.count >= Self.branchCountMax || parent?.depth == Self.depthMax { return }
        branchCount += 1
        let name = "\(branchCount) under \(parent?.name.prefix(2) ?? "none")"
        let context = NSManagedObjectContext(
            concurrencyType: chance(3) ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
        if let parent {
            context.parent = parent.context
            context.mergePolicy = pick(Self.policies) ?? .error
        } else {
            context.persistentStoreCoordinator = coordinator
            // Of two stores one may be saved before the other one refuses.
            context.mergePolicy =
                stores.count == 1 && chance(3)
                ? NSMergePolicy.error
                : chance(3) ? .mergeByPropertyStoreTrump : .mergeByPropertyObjectTrump
        }
        context.automaticallyMergesChangesFromParent = chance(3)
        if chance(3) { context.stalenessInterval = 0 }
        if chance(5) { context.retainsRegisteredObjects = true }
        if chance(2) {
            let manager = FirnFoundation.UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
        }
        note(
            "new context \(name), policy \((context.mergePolicy as? NSMergePolicy)?.mergeType.rawValue ?? 0)"
                + (context.automaticallyMergesChangesFromParent ? ", which follows" : "")
                + (context.undoManager == nil ? "" : ", with undo"))
        branches.append(Branch(name, context, parent: parent, parent?.overlay.view ?? store))
    }

    /// Ends an editing context, in the middle of whatever it was doing.
    func discard(_ branch: Branch) throws {
        guard branch.parent != nil || branches.contains(where: { $0 !== branch && $0.parent == nil }) else { return }
        let gone = branches.filter { $0 === branch || $0.isBelow(branch) }
        note("\(branch.name): discarded")
        branches.removeAll { one in gone.contains { $0 === one } }
        // Its objects go before it, on its queue.
        for one in gone { try run(one) { (one.held, one.controller) = ([:], nil) } }
    }

    /// Drops what is unsaved in a context. What its children have related to that is not said: they go with it.
    private func forget(_ branch: Branch) throws {
        try discardDependents(of: branch)
        let resets = chance(2)
        note("\(branch.name): \(resets ? "reset" : "rollback")")
        if resets { branch.held = [:] }
        try run(branch, isStep: false) { resets ? branch.context.reset() : branch.context.rollback() }
        didDropChanges(of: branch, resets)
    }

    func didDropChanges(of branch: Branch, _ resets: Bool) {
        branch.overlay.discardChanges()
        discardSteps(branch)
        if resets { branch.listed = nil }
    }

    func discardDependents(of branch: Branch) throws {
        for child in branches where child.isBelow(branch) && !survives(child, branch.overlay) { try discard(child) }
    }

    /// Whether the unsaved changes of a context have nothing to do with those that one above it drops.
    func survives(_ child: Branch, _ dropped: PlainOverlay) -> Bool {
        let (old, new) = (dropped.view, dropped.base)
        let differing = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
        let locks = differing.filter { old[$0]?.links[.lock] != new[$0]?.links[.lock] }.flatMap { number in
            [number, old[number]?.links[.lock], new[number]?.links[.lock]].compactMap { $0 }
        }
        return child.overlay.targets.allSatisfy { old[$0] == nil || new[$0] != nil }
            && child.overlay.unlocked.isDisjoint(with: locks)
            && differing.allSatisfy { number in
                (new[number]?.links.values).map { child.overlay.deleted.isDisjoint(with: $0) } ?? true
                    && child.overlay.deleted.isDisjoint(with: new[number]?.likes ?? [])
            }
    }

    /// Runs `body` on the context's queue: the caller's thread in it, or its own. It is one event, and one step of the
    /// undo manager.
    func run<R>(_ branch: Branch, isStep: Bool = true, _ body: @escaping () throws -> R) throws -> R {
        let all = {
            let manager = isStep ? branch.context.undoManager : nil
            manager?.beginUndoGrouping()
            defer { manager?.endUndoGrouping() }
            let result = try body()
            branch.context.processPendingChanges()
            return result
        }
        if !chance(3) { return try branch.context.performAndWait(all) }
        return try enqueue(branch, all)
    }

    /// Runs `body` after all that waits for the context's queue.
    func enqueue<R>(_ branch: Branch, _ body: @escaping () throws -> R) throws -> R {
        nonisolated(unsafe) let work = body
        nonisolated(unsafe) var result: Result<R, any Error>?
        let done = DispatchSemaphore(value: 0)
        branch.context.perform {
            result = Result { try work() }
            done.signal()
        }
        done.wait()
        guard let result else { throw failure("\(branch.name): a block was not run") }
        return try result.get()
    }
}
