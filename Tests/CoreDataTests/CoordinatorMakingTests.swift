import CoreData
import Testing

/// Coordinators made by a class that is known only as `Self`, as extensions for Apple's systems do it.
@Suite("The initializer of a coordinator known only as Self")
struct CoordinatorMakingTests {
    private let model = NSManagedObjectModel()

    @Test("makes a coordinator in static methods and convenience initializers of an extension")
    func extensions() {
        let coordinators = [
            NSPersistentStoreCoordinator.instance(of: model), NSPersistentStoreCoordinator.own(of: model),
            NSPersistentStoreCoordinator(naming: "a", model), NSPersistentStoreCoordinator(managedObjectModel: model),
        ]
        #expect(coordinators.allSatisfy { $0.managedObjectModel === model })
        #expect(coordinators[2].name == "a")
    }

    @Test("leaves subclasses their own initializers")
    func subclass() {
        let own = OwnCoordinator(managedObjectModel: model)
        #expect(own.name == "own")
        #expect(OwnCoordinator(count: 3, model).count == 3)
    }
}

extension NSPersistentStoreCoordinator {
    fileprivate static func instance(of model: NSManagedObjectModel) -> NSPersistentStoreCoordinator {
        let coordinator = self.init(managedObjectModel: model)
        return coordinator
    }

    fileprivate class func own(of model: NSManagedObjectModel) -> Self { self.init(managedObjectModel: model) }

    fileprivate convenience init(naming name: String, _ model: NSManagedObjectModel) {
        self.init(managedObjectModel: model)
        self.name = name
    }
}

private final class OwnCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    private(set) var count = 0

    override init(managedObjectModel model: NSManagedObjectModel) {
        super.init(managedObjectModel: model)
        name = "own"
    }

    convenience init(count: Int, _ model: NSManagedObjectModel) {
        self.init(managedObjectModel: model)
        self.count = count
    }
}
