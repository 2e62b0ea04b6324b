import Firn
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import TestSupport

/// The tables of a store built anew from its log, record by record, beside the store's own.
///
/// A check applies the records that are new since the last one, so that it can follow every save; the records come
/// from the log's bytes. O(new records and rows of the store).
final class RebuiltTables {
    private let log: SegmentLog
    private let schema: StoreSchema
    private let path: String
    private var own: Projection?
    private var anew: Projection?

    init(_ url: URL, _ model: NSManagedObjectModel) throws {
        path = url.path
        log = try SegmentLog.open(directory: url.path + "-log", forWriting: false)
        schema = StoreSchema(model: model, entities: model.entities, previous: nil)
    }

    /// Throws unless the store's tables are, row by row, what its log makes of them.
    func check(_ program: GraphProgram) throws {
        _ = try log.refresh()
        OpenProjectors.catchUp()
        let anew = try opened()
        let reader = try log.records(after: anew.checkpoint)
        while let record = try reader.next() {
            try anew.begin()
            try anew.apply(record)
            try anew.commit()
        }
        let (stored, made) = (try own?.dump() ?? "", try anew.dump())
        if stored != made {
            throw program.failure("the tables are not what the log makes of them:\n\(stored)\nrebuilt:\n\(made)")
        }
        // It reads the whole log.
        if log.head.rawValue % 64 == 0, let own, try sumIsEqual(own) == false {
            throw program.failure("the tables have another sum than their log")
        }
    }

    private func sumIsEqual(_ own: Projection) throws -> Bool? {
        try own.hasSum(through: own.checkpoint, in: open(.memory)) { _ = try LogMaintenance(log).verify(each: $0) }
    }

    private func opened() throws -> Projection {
        if let anew { return anew }
        own = try open(.file(path), readOnly: true)
        let made = try open(.memory)
        try made.rebuild(from: log)
        anew = made
        return made
    }

    private func open(_ location: ProjectionLocation, readOnly: Bool = false) throws -> Projection {
        try Projection.open(
            location, schema: schema, storeID: log.storeID.uuidString,
            modelSequence: log.currentModel?.sequence ?? .zero, head: log.head, readOnly: readOnly).0
    }
}
