import FirnModel
import FirnStore
public import Foundation

/// The stages by which stores of all versions come to the newest one. It is given as the store option
/// `NSPersistentStoreStagedMigrationManagerOptionKey`.
/// https://developer.apple.com/documentation/coredata/nsstagedmigrationmanager
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
    /// Oldest first.
    open private(set) var stages: [NSMigrationStage]
    /// The store, while a handler runs, with a copy of the model that the handler is about. Its objects are plain
    /// `NSManagedObject`s.
    open internal(set) var container: NSPersistentContainer?

    /// A manager of stages, in order.
    public convenience init(_ stages: [NSMigrationStage]) { self.init(stages: stages) }

    init(stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }
}

extension NSStagedMigrationManager: OpeningStages {
    func run(
        on url: URL, at place: StoreOpening.Place, configuration: String, options: [AnyHashable: Any],
        model: NSManagedObjectModel
    ) throws {
        try StagedMigration(
            manager: self, url: url, place: place, configuration: configuration, options: options, model: model
        ).run()
    }
}
