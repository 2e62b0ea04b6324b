/// One difference between two models.
public struct ModelDifference: Hashable, Sendable, CustomStringConvertible {
    /// The change of a part of the model.
    public enum Change: Hashable, Sendable {
        /// Only the newer model has it.
        case added
        /// Only the older model has it.
        case removed
        /// An aspect has another value: its name, and both values as text. Nil where there is none.
        case changed(aspect: String, from: String?, to: String?)
    }

    /// `Entity`, `Entity.property`, `Entity.composite.element`, or what else the model has: `configuration 'Main'`.
    public var place: String
    /// The change of the part.
    public var change: Change

    public var description: String {
        switch change {
        case .added: "\(place) was added"
        case .removed: "\(place) was removed"
        case .changed(let aspect, let from, let to):
            "\(place): \(aspect) was \(from.map { "'\($0)'" } ?? "not set"), is \(to.map { "'\($0)'" } ?? "not set")"
        }
    }
}

extension NSManagedObjectModel {
    /// All differences of `other` from this model, including hierarchy, defaults and user info, by place.
    ///
    /// Contents for an editor only, and the order of entities and properties, are not compared.
    public func differences(to other: NSManagedObjectModel) -> [ModelDifference] {
        let (old, new) = (ModelAspects(of: self).places, ModelAspects(of: other).places)
        return Set(old.keys).union(new.keys).sortedByUTF8 { $0 }.flatMap {
            place -> [ModelDifference] in
            switch (old[place], new[place]) {
            case (let old?, let new?): Self.differences(at: place, old, new)
            case (nil, _?): [ModelDifference(place: place, change: .added)]
            default: [ModelDifference(place: place, change: .removed)]
            }
        }
    }

    private static func differences(
        at place: String, _ old: [String: String], _ new: [String: String]
    ) -> [ModelDifference] {
        Set(old.keys).union(new.keys).sortedByUTF8 { $0 }.compactMap { aspect in
            if old[aspect] == new[aspect] { return nil }
            return ModelDifference(
                place: place, change: .changed(aspect: aspect, from: old[aspect], to: new[aspect]))
        }
    }
}
