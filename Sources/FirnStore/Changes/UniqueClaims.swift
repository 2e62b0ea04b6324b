package import FirnLog
package import FirnModel

/// The claims of one change's objects or rows to values under uniqueness constraints.
package struct UniqueClaims<Owner> {
    /// The claims, in the order of each one's first owner.
    package private(set) var all: [UniqueClaim] = []
    private var owners: [UniqueClaim: [Owner]] = [:]

    package init() {}

    package mutating func add(_ claim: UniqueClaim, of owner: Owner) {
        if owners[claim] == nil { all.append(claim) }
        owners[claim, default: []].append(owner)
    }

    /// In the order in which they were added. More than one violate the constraint.
    package func owners(of claim: UniqueClaim) -> [Owner] { owners[claim] ?? [] }
}

/// Values that only one object may have. They are compared as the tables do: texts by their bytes.
package struct UniqueClaim: Hashable {
    package let constraint: EntityLayout.UniquenessConstraint
    let values: [PropertyValue]

    /// Nil if one of the values is null, or not there: nulls are never equal.
    package init?(
        _ constraint: EntityLayout.UniquenessConstraint, value: (_ slot: Int) throws -> PropertyValue?
    ) rethrows {
        self.constraint = constraint
        var values: [PropertyValue] = []
        for slot in constraint.slots {
            guard let value = try value(slot), !value.isNull else { return nil }
            values.append(value)
        }
        self.values = values
    }

    package func names(_ layout: EntityLayout) -> [String] { constraint.slots.map { layout.slots[$0].name } }

    /// The names and the values, for messages.
    package func text(_ layout: EntityLayout) -> String {
        zip(names(layout), values).map { "\($0) = \($1)" }.joined(separator: ", ")
    }

    package static func == (lhs: UniqueClaim, rhs: UniqueClaim) -> Bool {
        lhs.constraint.constrainedEntity === rhs.constraint.constrainedEntity
            && lhs.constraint.slots == rhs.constraint.slots
            && lhs.values.elementsEqual(rhs.values) { $0.isExactly($1) }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
