import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A context as its children read it: its objects, unsaved changes included.
extension NSManagedObjectContext: RowReader {
    func row(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot? {
        try performAndWait {
            let object = object(with: id)
            if object.isFault, object.isInserted { object.fulfill(for: nil) }
            if object.isFault {
                guard let row = try storedRow(of: object, maximumAge: maximumAge) else { return nil }
                object.realize(row)
            }
            return object.isDeleted || object.state.contains(.gone) ? nil : try object.currentSnapshot()
        }
    }

    func row(of object: NSManagedObject, maximumAge: Double) throws -> Snapshot? {
        try row(of: object.identity, maximumAge: maximumAge)
    }

    func members(of owners: [NSManagedObject], slot: Int) throws -> [NamedObjects] {
        owners.map(\.identity).map { id in
            performAndWait { .ids(object(with: id).memberObjects(slot).map(\.objectID)) }
        }
    }

    func load(_ objects: [NamedObjects]) throws { try performAndWait { try loadRows(of: objects) } }

    func read(_ request: StoreRequest, _ monitor: FetchMonitor?, _ body: (FetchBatch) throws -> Void) throws {
        let ids = try performAndWait {
            let fetch = try ObjectFetch(self, request)
            return try fetch.objects(fetch.read(monitor)).map(\.objectID)
        }
        try body(FetchBatch(found: .ids(ids)))
    }

    func count(_ request: StoreRequest) throws -> Int { try performAndWait { try ObjectFetch(self, request).count() } }

    func dictionaries(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> [NSDictionary] {
        try performAndWait { try ObjectFetch(self, request).dictionaries(monitor) }
    }

    func readRows(_ request: StoreRequest, _ columns: ColumnList, _ body: (RowValueCursor) throws -> Void) throws {
        try performAndWait { try ObjectFetch(self, request).readRows(columns, body) }
    }
}

extension NSManagedObject {
    /// The object's values as they are now, unsaved ones too, as a row of its own: what a child context reads.
    func currentSnapshot() throws -> Snapshot {
        var columns = [Column?](repeating: nil, count: layout.slots.count)
        var identities: [Int: NSManagedObjectID] = [:]
        for slot in layout.storedSlots {
            var column = Column(layout.slots[slot].storage)
            if case .toOne(let destination) = read(slot) {
                column.append(destination.key)
                // A child's new object need not know its store.
                let isNamed = key.isTemporary || destination.key.isTemporary || !destination.isIn(store)
                if isNamed { identities[slot] = destination.identity }
            } else {
                column.append(try AttributeCoding.stored(read(slot), layout.slots[slot]))
            }
            columns[slot] = column
        }
        let batch = RowBatch(
            entity: key.entity, primaryKeys: [key.primaryKey], versions: [snapshot?.version ?? 0],
            columns: columns, identities: identities)
        return Snapshot(batch: batch, row: 0)
    }
}
