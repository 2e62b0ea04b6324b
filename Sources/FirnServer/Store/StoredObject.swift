#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// One object with the members of its to-many relationships.
struct StoredObject: Sendable {
    /// How many members are named.
    static let memberMax = 100

    struct Members: Sendable {
        var relationship: String
        var count: Int
        /// The first of them.
        var objects: [String]
    }

    let row: ObjectRows.Row
    /// The object's name, title, number or identifier; nil for one without any.
    let title: String?
    let members: [Members]
    let sequence: SequenceNumber

    /// Nil if there is no such object in the state.
    init?(_ name: ObjectName, _ state: StateReader.State, _ names: ModelNames, of log: SegmentLog) throws {
        let model = state.schema.logModel
        guard let found = try Self.found(name, state, log) else { return nil }
        let key = found.batch.key(at: found.row)
        guard let row = try Self.row(of: key, state, names) else { return nil }
        self.row = row
        title = names.title(of: key.entity) { slot in
            Int(slot) < found.batch.columns.count ? found.batch.value(at: found.row, slot: Int(slot)) : nil
        }
        sequence = state.sequence
        let properties = model.entity(key.entity)?.properties ?? []
        members = try properties.enumerated().compactMap { slot, property in
            guard case .toMany = property.kind else { return nil }
            let keys = try state.reader.members(of: key, slot: slot)
            return Members(
                relationship: property.name, count: keys.count,
                objects: keys.prefix(Self.memberMax).map(names.object))
        }
    }

    /// Finds an object by the name that it had then, or else by the one that a migration gave it since.
    private static func found(
        _ name: ObjectName, _ state: StateReader.State, _ log: SegmentLog
    ) throws -> (batch: RowBatch, row: Int)? {
        let entity = state.schema.logModel.entities.first { $0.name == name.entity }
        let key = entity.map { ObjectKey(entity: $0.number, primaryKey: name.key) }
        if let found = try key.flatMap({ try state.reader.row($0) }) { return found }
        guard let model = try log.model(inForceAt: state.sequence)?.sequence,
            let then = try log.key(of: name.entity, name.key, at: model, namedAt: log.currentModelSequence),
            then != key
        else { return nil }
        return try state.reader.row(then)
    }

    private static func row(
        of key: ObjectKey, _ state: StateReader.State, _ names: ModelNames
    ) throws -> ObjectRows.Row? {
        ObjectRows(try state.reader.rows([key]), state, names, entity: key.entity).rows.first
    }

    /// The values of an object, without its members, which may be many.
    static func values(
        of name: ObjectName, _ state: StateReader.State, _ names: ModelNames, _ log: SegmentLog
    ) throws -> [(name: String, value: ValueText)] {
        guard let found = try found(name, state, log) else { return [] }
        return try row(of: found.batch.key(at: found.row), state, names)?.values ?? []
    }

    /// Throws for a large value that cannot be read.
    func json() throws -> JSONObject {
        var object = try row.json()
        object["asOf"] = .integer(Int64(sequence.rawValue))
        guard !members.isEmpty else { return object }
        var relationships = JSONObject()
        for members in members {
            relationships[members.relationship] = .object([
                "count": .number(members.count), "objects": .array(members.objects.map(JSON.text)),
            ])
        }
        object["members"] = .object(relationships)
        return object
    }
}
#endif
