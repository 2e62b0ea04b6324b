package import FirnLog
package import FirnProjection

/// The records that changed one object, by the name and key that it has in the terms of the present, as do its
/// properties.
extension PastStates {
    /// The records after `start` and up to `end` that changed an object; the oldest first, or the newest.
    ///
    /// Complexity: O(log versions + records that are found), and O(versions) where newer ones are passed over.
    package func records(
        of entity: String, _ key: Int64, after start: SequenceNumber, through end: SequenceNumber, limit: Int = .max,
        newestFirst: Bool = false
    ) throws -> [SequenceNumber] {
        let epochs = try epochs(after: start, through: end)
        var records: [SequenceNumber] = []
        for epoch in newestFirst ? epochs : epochs.reversed() where records.count < limit {
            let last = min(end, epoch.end ?? end)
            records += try retrying {
                guard let key = try log.key(of: entity, key, at: epoch.model, namedAt: current) else { return [] }
                let versions = try versions(epoch, through: last)
                return try versions.temporal.records(
                    of: key, after: max(start, begin(of: epoch)), through: last, limit: limit - records.count,
                    newestFirst: newestFirst)
            }
        }
        return records
    }

    /// The record that gave each of an object's properties its value in the state after a record. The properties have
    /// the names of that state. Those that a trim cut off are left out.
    package func setters(
        of entity: String, _ key: Int64, _ properties: Set<String>, at sequence: SequenceNumber
    ) throws -> [String: SequenceNumber] {
        var (missing, setters) = (properties, [String: SequenceNumber]())
        let model = try log.model(inForceAt: sequence)?.sequence ?? current
        for epoch in try epochs(after: log.baseline, through: sequence) where !missing.isEmpty {
            let last = min(sequence, epoch.end ?? sequence)
            guard let key = try log.key(of: entity, key, at: epoch.model, namedAt: current) else { continue }
            let names = try names(missing, at: model, of: key.entity, at: epoch.model)
            let found = try retrying {
                try versions(epoch, through: last).temporal.setters(of: key, Set(names.values), at: last)
            }
            for (name, old) in names {
                guard let record = found[old], record > begin(of: epoch) else { continue }
                setters[name] = record
                missing.remove(name)
            }
        }
        return setters
    }

    /// The names that properties of a later model had in the terms of a model.
    private func names(
        _ names: Set<String>, at later: SequenceNumber, of entity: EntityNumber, at model: SequenceNumber
    ) throws -> [String: String] {
        let then = try log.model(at: model).entity(entity)?.properties ?? []
        guard let now = try log.model(at: later).entity(entity)?.properties else {
            return Dictionary(uniqueKeysWithValues: names.map { ($0, $0) })
        }
        let steps = try log.migrations(from: model, to: later)
        var old: [String: String] = [:]
        for (slot, property) in now.enumerated() where names.contains(property.name) {
            if let slot = steps.source(of: UInt16(slot), of: entity) { old[property.name] = then[Int(slot)].name }
        }
        return old
    }

    /// The record whose state an epoch's versions begin with.
    func begin(of epoch: Epoch) -> SequenceNumber { max(epoch.start, log.baseline) }

    /// The epochs with records after `start` and up to `end`, the newest first.
    func epochs(after start: SequenceNumber, through end: SequenceNumber) throws -> [Epoch] {
        let current = try current
        var epochs = [try Self.epoch(at: end, before: current, in: log)]
        while let first = epochs.last?.start, first > max(start, log.baseline),
            try log.model(at: first).migration != nil
        {
            epochs.append(try Self.epoch(at: SequenceNumber(first.rawValue - 1), before: current, in: log))
        }
        return epochs
    }
}
