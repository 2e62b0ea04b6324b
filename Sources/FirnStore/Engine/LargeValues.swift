package import FirnLog
package import FirnModel
import FirnProjection
import Foundation

/// Large values of attributes that allow it go into files of their own: a row then has a reference in place of the
/// value. https://developer.apple.com/documentation/coredata/nsattributedescription/allowsexternalbinarydatastorage
package struct LargeValues {
    private let values: ExternalValues
    /// Values of more bytes than this go out of the row.
    private let inlineSizeMax: Int
    /// The references to values that were put into files, or were in one already.
    private(set) var references: [ExternalReference] = []

    /// - Parameter inMemory: whether a file is no place of its own, and only what looks like a reference needs one.
    init(_ values: ExternalValues, inMemory: Bool = false) {
        self.values = values
        inlineSizeMax = inMemory ? .max : 100 * 1024
    }

    /// Puts the large ones of a group's values into files. They are not durable before `finish`.
    fileprivate mutating func move(out columns: inout [Column], _ slots: [UInt16], _ layout: EntityLayout) throws {
        for (index, slot) in slots.enumerated() where index < columns.count && columns[index].type == .blob {
            let info = layout.slots[Int(slot)]
            guard case .blobs(let runs) = columns[index].values,
                (0..<runs.count).contains(where: { mustMove(runs, $0, info) })
            else { continue }
            columns[index] = try moved(columns[index], runs, info)
        }
    }

    /// To be called before the change set is written.
    fileprivate func finish() throws {
        if !references.isEmpty { try values.syncNames() }
    }

    /// Whether a value must go into a file. One that only looks like a reference must too, of whatever attribute, lest
    /// it be taken for one; a derived one is copied from a row, with its reference.
    private func mustMove(_ runs: ByteRuns, _ row: Int, _ info: Slot) -> Bool {
        info.allowsExternalStorage && runs.range(at: row).count > inlineSizeMax
            || !info.isDerived && runs.withBytes(at: row, ExternalReference.init) != nil
    }

    private mutating func moved(_ column: Column, _ runs: ByteRuns, _ info: Slot) throws -> Column {
        var result = Column(.blob)
        for row in 0..<runs.count {
            if column.isNull(at: row) {
                result.appendNull()
            } else if mustMove(runs, row, info) {
                let reference = try runs.withBytes(at: row, values.store)
                references.append(reference)
                reference.bytes.withUnsafeBytes { result.append(bytes: $0) }
            } else {
                runs.withBytes(at: row) { result.append(bytes: $0) }
            }
        }
        return result
    }
}

extension ChangeSet {
    /// Puts large new values into files of their own, durably. Returns the references to them.
    mutating func moveLargeValues(_ values: LargeValues, _ schema: StoreSchema) throws -> [ExternalReference] {
        var values = values
        for index in groups.indices {
            guard let entity = schema.entity(groups[index].entity) else { continue }
            try values.move(out: &groups[index].new, groups[index].slots, entity.layout)
        }
        try values.finish()
        return values.references
    }
}

extension ChangeSet {
    /// Puts large values of changes that come from elsewhere into files of a log, durably.
    package mutating func moveLargeValues(
        into log: SegmentLog, layout: (EntityNumber) -> EntityLayout?
    ) throws {
        // The log may be synced at the end only; files have no end in common.
        var files = log.externalValues
        files.isSynced = true
        var values = LargeValues(files)
        for index in groups.indices {
            guard let layout = layout(groups[index].entity) else { continue }
            // Their old values are no references either.
            try values.move(out: &groups[index].new, groups[index].slots, layout)
            try values.move(out: &groups[index].old, groups[index].slots, layout)
        }
        try values.finish()
    }
}
