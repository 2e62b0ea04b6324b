/// A change set: the model's record, the groups, the links.
///
///     changes  = model (varint), count, group …, count, links …
///     group    = what (byte), entity (varint), rows (varint), primary keys (integers),
///                count, slot gaps (varints), column …
///     links    = entity (varint), slot (varint), members that left, members that came
///     members  = rows (varint); unless 0: source entities, source keys, destination entities,
///                destination keys, source orders, destination orders (integers each)
///
/// `what` is the operation in bits 0–2, bit 3 if there are new columns, bit 4 if there are old ones. The columns of a
/// slot stand side by side, the new one first.
package enum GroupPart {
    package static let operationMask: UInt8 = 7
    package static let new: UInt8 = 8
    package static let old: UInt8 = 16
    static let known: UInt8 = 31

    /// The columns of an operation, unless it has no slots.
    static func columns(of operation: ChangeGroup.Operation) -> UInt8 {
        switch operation {
        case .insert: new
        case .update: new | old
        case .delete: old
        case .refresh: 0
        }
    }
}

extension PayloadWriter {
    mutating func changes(_ changes: ChangeSet) {
        out.varint(changes.model.rawValue)
        out.varint(changes.groups.count)
        for group in changes.groups { self.group(group) }
        out.varint(changes.links.count)
        for links in changes.links {
            out.varint(UInt64(links.entity.rawValue))
            out.varint(UInt64(links.slot))
            members(links.removed)
            members(links.added)
        }
    }

    private mutating func group(_ group: ChangeGroup) {
        group.checkShape()
        var what = group.operation.rawValue
        if !group.new.isEmpty { what |= GroupPart.new }
        if !group.old.isEmpty { what |= GroupPart.old }
        out.byte(what)
        out.varint(UInt64(group.entity.rawValue))
        out.varint(group.primaryKeys.count)
        integers(group.primaryKeys)
        out.varint(group.slots.count)
        var next = 0
        for slot in group.slots {
            out.varint(Int(slot) - next)
            next = Int(slot) + 1
        }
        // Looked at in their place: a column that is taken out of an array counts references to all that it has.
        group.new.withUnsafeBufferPointer { new in
            group.old.withUnsafeBufferPointer { old in
                for index in group.slots.indices {
                    if !new.isEmpty {
                        // Most saves are of one row.
                        if case .integer(let value)? = new[index].onlyNumber, new[index].nulls.isEmpty {
                            onlyInteger(value)
                        } else {
                            column(new[index], against: nil)
                        }
                    }
                    if !old.isEmpty { column(old[index], against: new.isEmpty ? nil : new[index]) }
                }
            }
        }
    }

    private mutating func members(_ links: [Link]) {
        out.varint(links.count)
        if links.isEmpty { return }
        integers(links.map { Int64($0.source.entity.rawValue) })
        integers(links.map(\.source.primaryKey))
        integers(links.map { Int64($0.destination.entity.rawValue) })
        integers(links.map(\.destination.primaryKey))
        integers(links.map(\.sourceOrder))
        integers(links.map(\.destinationOrder))
    }
}

extension ByteReader {
    mutating func changes() throws(DecodeFailure) -> ChangeSet {
        var changes = ChangeSet(model: SequenceNumber(try varint()))
        for _ in 0..<(try count(of: "groups")) { changes.groups.append(try group()) }
        for _ in 0..<(try count(of: "link groups")) {
            let entity = EntityNumber(try number("an entity number"))
            let slot: UInt16 = try number("a slot")
            let removed = try members()
            changes.links.append(
                LinkGroup(entity: entity, slot: slot, removed: removed, added: try members()))
        }
        return changes
    }

    private mutating func group() throws(DecodeFailure) -> ChangeGroup {
        let what = try byte()
        guard let operation = ChangeGroup.Operation(rawValue: what & GroupPart.operationMask),
            what <= GroupPart.known
        else { throw failure("the unknown operation \(what)") }
        let entity = EntityNumber(try number("an entity number"))
        let rows: Int = try number("a number of rows")
        var group = ChangeGroup(entity: entity, operation: operation)
        group.primaryKeys = try integers(count: rows)
        group.slots = try slots()
        if !group.slots.isEmpty, what & (GroupPart.new | GroupPart.old) != GroupPart.columns(of: operation) {
            throw failure("the columns of another operation")
        }
        for _ in group.slots {
            var new: Column?
            if what & GroupPart.new != 0 {
                let column = try column(count: rows, against: nil)
                group.new.append(column)
                new = column
            }
            if what & GroupPart.old != 0 { group.old.append(try column(count: rows, against: new)) }
        }
        return group
    }

    private mutating func slots() throws(DecodeFailure) -> [UInt16] {
        let slotCount = try count(of: "slots")
        var slots: [UInt16] = []
        slots.reserveCapacity(slotCount)
        var next = 0
        for _ in 0..<slotCount {
            guard let slot = UInt16(exactly: next + Int(try number("a slot", as: UInt16.self))) else {
                throw failure("a slot of more than 16 bits")
            }
            slots.append(slot)
            next = Int(slot) + 1
        }
        return slots
    }

    private mutating func members() throws(DecodeFailure) -> [Link] {
        let rows: Int = try number("a number of links")
        if rows == 0 { return [] }
        var columns: [[Int64]] = []
        for _ in 0..<6 { columns.append(try integers(count: rows)) }
        var links: [Link] = []
        links.reserveCapacity(rows)
        for row in 0..<rows {
            guard let source = UInt32(exactly: columns[0][row]),
                let destination = UInt32(exactly: columns[2][row])
            else { throw failure("an entity number of more than 32 bits") }
            links.append(
                Link(
                    source: ObjectKey(entity: EntityNumber(source), primaryKey: columns[1][row]),
                    destination: ObjectKey(
                        entity: EntityNumber(destination), primaryKey: columns[3][row]),
                    sourceOrder: columns[4][row], destinationOrder: columns[5][row]))
        }
        return links
    }
}

extension ChangeGroup {
    /// Traps unless the columns fit the slots and the primary keys.
    func checkShape() {
        let columns = GroupPart.columns(of: operation)
        guard new.count == (columns & GroupPart.new != 0 ? slots.count : 0) else {
            fatalError("inserts and updates need a new column for each slot, deletes and refreshes none")
        }
        guard old.count == (columns & GroupPart.old != 0 ? slots.count : 0) else {
            fatalError("updates and deletes need an old column for each slot, inserts and refreshes none")
        }
        guard operation != .refresh || slots.isEmpty else {
            fatalError("a refresh has no slots")
        }
        let count = primaryKeys.count
        guard (new.allSatisfy { $0.count == count } && old.allSatisfy { $0.count == count }) else {
            fatalError("a column needs as many rows as its group has primary keys")
        }
        guard (zip(slots, slots.dropFirst()).allSatisfy { $0 < $1 }) else {
            fatalError("the slots of a change group must ascend")
        }
    }
}
