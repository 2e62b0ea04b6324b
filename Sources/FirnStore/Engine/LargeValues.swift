package import FirnLog
package import FirnModel
import FirnProjection
import Foundation

/// Large values of attributes that allow it go into files of their own: a row then has a reference in place of the
/// value. https://developer.apple.com/documentation/coredata/nsattributedescription/allowsexternalbinarydatastorage
package struct LargeValues {
    /// Values of more bytes than this go out of the row.
    static let inlineSizeMax = 100 * 1024

    private let values: ExternalValues
    /// The references to values that were put into files, or were in one already.
    private(set) var references: [ExternalReference] = []

    init(_ values: ExternalValues) { self.values = values }

    /// Puts the large ones of the group's new values into files. They are not durable before `finish`.
    fileprivate mutating func move(out group: inout ChangeGroup, of layout: EntityLayout) throws {
        try move(out: &group.new, group.slots, layout)
    }

    private mutating func move(out columns: inout [Column], _ slots: [UInt16], _ layout: EntityLayout) throws {
        for (index, slot) in slots.enumerated() where index < columns.count && columns[index].type == .blob {
            guard layout.slots[Int(slot)].allowsExternalStorage, case .blobs(let runs) = columns[index].values,
                (0..<runs.count).contains(where: { mustMove(runs, $0) })
            else { continue }
            columns[index] = try moved(columns[index], runs)
        }
    }

    /// Moves large values of changes that come from elsewhere, whose old values are no references either.
    fileprivate mutating func moveAll(out group: inout ChangeGroup, of layout: EntityLayout) throws {
        try move(out: &group.new, group.slots, layout)
        try move(out: &group.old, group.slots, layout)
    }

    /// To be called before the change set is written.
    fileprivate func finish() throws {
        if !references.isEmpty { try values.syncNames() }
    }

    /// Whether a value must go into a file. One that only looks like a reference must too, lest it be taken for one.
    private func mustMove(_ runs: ByteRuns, _ row: Int) -> Bool {
        runs.range(at: row).count > Self.inlineSizeMax || runs.withBytes(at: row, ExternalReference.init) != nil
    }

    private mutating func moved(_ column: Column, _ runs: ByteRuns) throws -> Column {
        var result = Column(.blob)
        for row in 0..<runs.count {
            if column.isNull(at: row) {
                result.appendNull()
            } else if mustMove(runs, row) {
                let reference = try runs.withBytes(at: row) { try self.reference(to: $0) }
                reference.bytes.withUnsafeBytes { result.append(bytes: $0) }
            } else {
                runs.withBytes(at: row) { result.append(bytes: $0) }
            }
        }
        return result
    }

    /// An object that comes back has the references that its row had.
    private mutating func reference(to value: UnsafeRawBufferPointer) throws -> ExternalReference {
        if let known = ExternalReference(bytes: value), values.has(known) {
            references.append(known)
            return known
        }
        let stored = try values.store(value)
        references.append(stored)
        return stored
    }
}

extension ChangeSet {
    /// Puts large new values into files of their own, durably. Returns the references to them.
    mutating func moveLargeValues(_ values: LargeValues, _ schema: StoreSchema) throws -> [ExternalReference] {
        var values = values
        for index in groups.indices {
            guard let entity = schema.entity(groups[index].entity) else { continue }
            try values.move(out: &groups[index], of: entity.layout)
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
            try values.moveAll(out: &groups[index], of: layout)
        }
        try values.finish()
    }
}

extension PropertyValue {
    /// Whether two stored values are the same, be one of them in the row and one in a file.
    package func isSame(as other: PropertyValue?) -> Bool {
        if self == other { return true }
        guard case .blob(let mine) = self, case .blob(let theirs)? = other else { return false }
        let (known, otherKnown) = (ExternalReference(bytes: mine), ExternalReference(bytes: theirs))
        switch (known, otherKnown) {
        case (let reference?, nil): return theirs.withUnsafeBytes(ExternalReference.init(to:)) == reference
        case (nil, let reference?): return mine.withUnsafeBytes(ExternalReference.init(to:)) == reference
        default: return false
        }
    }
}
