import Firn
import FirnModel
import Foundation
import TestSupport
import Testing

/// The stack of most tutorials: a lazily made coordinator, a context for the user interface, one for imports.
private final class StackManager {
    enum Style: CaseIterable {
        /// Both contexts use one coordinator.
        case sharedCoordinator
        /// The import context has a coordinator of its own on the same file.
        case coordinatorForEachContext
    }

    let url: URL
    let style: Style
    let model = StackManagerTests.model()
    lazy var coordinator = makeCoordinator()
    lazy var mainContext: NSManagedObjectContext = {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }()

    init(url: URL, style: Style) { (self.url, self.style) = (url, style) }

    private func makeCoordinator() -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        do {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
        } catch {
            Issue.record("the store cannot be opened: \(error)")
        }
        return coordinator
    }

    func importContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator =
            style == .sharedCoordinator ? mainContext.persistentStoreCoordinator : makeCoordinator()
        context.undoManager = nil
        return context
    }
}

@Suite("Tutorials: stack managers and the order list")
@MainActor
struct StackManagerTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    nonisolated static func model() -> NSManagedObjectModel {
        let order = ModelSketch.entity(
            "Order",
            [
                ModelSketch.attribute("orderNumber", .integer32AttributeType, optional: false),
                ModelSketch.attribute("customer"), ModelSketch.attribute("total", .doubleAttributeType),
            ])
        return ModelSketch.model(order)
    }

    private func stack(_ style: StackManager.Style) -> StackManager {
        StackManager(url: directory.file("Orders.sqlite"), style: style)
    }

    /// Imports orders 1 to 10 on the import context's queue, and merges its save into the main context.
    private func importOrders(_ stack: StackManager) throws {
        let main = stack.mainContext
        let context = stack.importContext()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { main.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(observer) }
        try context.performAndWait {
            for number in 1...10 {
                let order = NSEntityDescription.insertNewObject(forEntityName: "Order", into: context)
                order.setValue(number, forKey: "orderNumber")
                order.setValue("Customer \(number % 3)", forKey: "customer")
                order.setValue(Double(number) * 2.5, forKey: "total")
            }
            try context.save()
        }
    }

    /// What a text field gives is a text, whatever the attribute is.
    private func find(_ number: String, in context: NSManagedObjectContext) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Order")
        request.predicate = NSPredicate(format: "orderNumber = %@", number)
        return try context.fetch(request).first
    }

    @Test("an import on another context is merged into the main one", arguments: StackManager.Style.allCases)
    fileprivate func imported(_ style: StackManager.Style) throws {
        let stack = stack(style)
        #expect(try stack.mainContext.count(for: NSFetchRequest<NSManagedObject>(entityName: "Order")) == 0)
        try importOrders(stack)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Order")
        request.sortDescriptors = [NSSortDescriptor(key: "orderNumber", ascending: true)]
        #expect(try stack.mainContext.fetch(request).compactMap { $0.number("orderNumber") } == Array(1...10))
    }

    @Test("an order is found by its number given as text", arguments: StackManager.Style.allCases)
    fileprivate func found(_ style: StackManager.Style) throws {
        let stack = stack(style)
        try importOrders(stack)
        #expect(try find("7", in: stack.mainContext)?.text("customer") == "Customer 1")
        #expect(try find("70", in: stack.mainContext) == nil)
    }

    @Test("an order found by a text is updated, and another context sees it", arguments: StackManager.Style.allCases)
    fileprivate func updated(_ style: StackManager.Style) throws {
        let stack = stack(style)
        try importOrders(stack)
        try find("3", in: stack.mainContext)?.setValue(99.5, forKey: "total")
        try stack.mainContext.save()
        let other = stack.importContext()
        try other.performAndWait {
            let order = try find("3", in: other)
            #expect(order?.value(forKey: "total") as? Double == 99.5)
        }
    }

    @Test("an order found by a text is deleted, and no other one", arguments: StackManager.Style.allCases)
    fileprivate func deleted(_ style: StackManager.Style) throws {
        let stack = stack(style)
        try importOrders(stack)
        let order = try #require(try find("3", in: stack.mainContext))
        stack.mainContext.delete(order)
        try stack.mainContext.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Order")
        let other = stack.importContext()
        let left = try other.performAndWait { try other.fetch(request).compactMap { $0.number("orderNumber") } }
        #expect(Set(left) == Set(1...10).subtracting([3]))
    }
}
