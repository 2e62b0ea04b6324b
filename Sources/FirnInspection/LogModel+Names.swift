package import FirnLog

/// Entities and properties by the names that a person gives.
extension LogModel {
    /// Throws what says which entities there are.
    package func entity(named name: String) throws -> LogEntity {
        if let found = entities.first(where: { $0.name == name }) { return found }
        throw Failure(
            "there is no entity “\(name)” in the store's model"
                + Suggestion.text(for: name, among: entities.map(\.name)))
    }

    /// The entity of that name and those below it. Throws what says which entities there are.
    package func subtree(of name: String) throws -> Set<EntityNumber> {
        var found: Set = [try entity(named: name).number]
        var count = 0
        while count != found.count {
            count = found.count
            for entity in entities where entity.parent.map(found.contains) == true { found.insert(entity.number) }
        }
        return found
    }
}

extension LogEntity {
    /// The properties that a person may ask for, without the columns that keep the order of a relationship.
    package var namedProperties: [LogProperty] {
        properties.filter { property in
            if case .position = property.kind { return false }
            return true
        }
    }

    /// The properties that have a value in a row, by its slot.
    package var storedProperties: [(slot: Int, property: LogProperty)] {
        properties.enumerated().compactMap { slot, property in
            if case .position = property.kind { return nil }
            return property.storage == .none ? nil : (slot, property)
        }
    }
}

/// An object as commands print it, `Author/7`, or as its URI.
package struct ObjectName: Sendable {
    package let entity: String
    package let key: Int64

    package init(_ text: String) throws {
        let scheme = "x-coredata://"
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let names = text.hasPrefix(scheme) && parts.count == 5 ? Array(parts[3...]) : parts
        guard names.count == 2, !names[0].isEmpty, let key = Int64(names[1].drop { $0 == "p" }), key > 0 else {
            throw Failure("\(text): name an object by its entity and key, for example Author/7")
        }
        entity = String(names[0])
        self.key = key
    }

    package var text: String { "\(entity)/\(key)" }

    /// An object, and perhaps one of its properties: `Author/7`, `Author/7.name`.
    package static func withProperty(_ text: String) throws -> (object: ObjectName, property: String?) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (try ObjectName(parts[0]), parts.count == 2 ? parts[1] : nil)
    }
}
