#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// Objects as they were read, with their names and values.
struct ObjectRows: Sendable {
    /// One object: its values in the order of the model, nil left out.
    struct Row: Sendable {
        var name: String
        /// The record that last touched it.
        var version: Int64
        var values: [(name: String, value: ValueText)]

        /// Throws for a large value that cannot be read.
        func json() throws -> JSONObject {
            var json = JSONObject()
            for (name, value) in values where !value.value.isNull { json[name] = try value.json }
            return ["object": .text(name), "version": .integer(version), "values": .object(json)]
        }
    }

    let sequence: SequenceNumber
    /// The attributes and to-one relationships of the entity that was asked for.
    let columns: [String]
    var rows: [Row]

    init(_ fetched: FetchedRows, _ state: StateReader.State, _ names: ModelNames, entity: EntityNumber) {
        sequence = state.sequence
        let model = state.schema.logModel
        columns = model.entity(entity).map { $0.storedProperties.map(\.property.name) } ?? []
        let stored = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.number, $0.storedProperties) })
        rows = (0..<fetched.count).map { index in
            let (batch, row) = fetched[index]
            return Row(
                name: names.object(batch.key(at: row)), version: batch.versions[row],
                values: (stored[batch.entity] ?? []).map { slot, property in
                    let value = slot < batch.columns.count ? batch.value(at: row, slot: slot) : .null
                    let name = names.property(UInt16(slot), of: batch.entity)?.name ?? property.name
                    return (name, ValueText(value: value, property: property, names: names))
                })
        }
    }
}
#endif
