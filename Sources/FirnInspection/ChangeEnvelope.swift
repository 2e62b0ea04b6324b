package import FirnLog

/// The lines of JSON that say what a record did, in Debezium's envelope: one for each object, then one for each member
/// of a relationship that no to-one tells.
package struct ChangeEnvelope {
    /// The store's name in the lines.
    private let store: String

    package init(store: String) { self.store = store }

    /// Calls `body` with each line. Rows of a baseline are lines with the operation `r`. Throws for a large value that
    /// cannot be read.
    ///
    /// - Parameters:
    ///   - entities: the entities that are wanted; nil for all.
    ///   - object: the only object that is wanted, in the terms of the change set; nil for all.
    package func forEachLine(
        of changes: ChangeSet, in record: LogRecord, _ names: ModelNames, entities: Set<EntityNumber>? = nil,
        object: ObjectKey? = nil, _ body: (String) throws -> Void
    ) throws {
        let isBaseline = if case .baseline = record.body { true } else { false }
        for group in changes.groups where group.operation != .refresh {
            guard entities?.contains(group.entity) ?? true else { continue }
            if let object, group.entity != object.entity { continue }
            for (row, key) in group.primaryKeys.enumerated() where object.map({ $0.primaryKey == key }) ?? true {
                let change = try LoggedChange(group: group, row: row, names: names).json(hasPositions: true)
                var source = source(record)
                source["entity"] = .text(names.entity(group.entity))
                source["key"] = .integer(key)
                if change.has("touched") { source["touched"] = change["touched"] }
                let operation = isBaseline ? "r" : Self.letter(group.operation)
                try body(envelope(operation, change["old"], change["new"], source, record).line)
            }
        }
        for group in changes.links where entities?.contains(group.entity) ?? true {
            let name = names.property(group.slot, of: group.entity)?.name ?? "slot \(group.slot)"
            for (operation, links) in [("d", group.removed), (isBaseline ? "r" : "c", group.added)] {
                for link in links where object.map({ [link.source, link.destination].contains($0) }) ?? true {
                    var source = source(record)
                    source["relationship"] = .text(names.entity(group.entity) + "." + name)
                    let members = members(link, names)
                    let isRemoved = operation == "d"
                    try body(
                        envelope(operation, isRemoved ? members : .null, isRemoved ? .null : members, source, record)
                            .line)
                }
            }
        }
    }

    private func members(_ link: Link, _ names: ModelNames) -> JSON {
        .object([
            "source": .text(names.object(link.source)), "destination": .text(names.object(link.destination)),
            "sourceOrder": link.sourceOrder == 0 ? nil : .integer(link.sourceOrder),
            "destinationOrder": link.destinationOrder == 0 ? nil : .integer(link.destinationOrder),
        ])
    }

    private func source(_ record: LogRecord) -> JSONObject {
        return [
            "store": .text(store), "sequence": .number(record.sequence.rawValue),
            "author": record.header.author.map(JSON.text), "context": record.header.contextName.map(JSON.text),
            "metadata": record.header.metadata.isEmpty
                ? nil : .object(JSONObject(record.header.metadata.mapValues(JSON.text))),
        ]
    }

    private func envelope(
        _ operation: String, _ before: JSON, _ after: JSON, _ source: JSONObject, _ record: LogRecord
    ) -> JSONObject {
        return [
            "op": .text(operation), "before": before, "after": after, "source": .object(source),
            "ts_ms": .integer(record.header.date / 1000), "ts_us": .integer(record.header.date),
        ]
    }

    private static func letter(_ operation: ChangeGroup.Operation) -> String {
        switch operation {
        case .insert: "c"
        case .update: "u"
        case .delete: "d"
        case .refresh: "r"
        }
    }
}
