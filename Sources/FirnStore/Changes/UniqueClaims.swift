package import FirnLog
package import FirnModel

/// The claims of one change's objects or rows to values under uniqueness constraints.
package struct UniqueClaims<Owner> {
    /// The claims, in the order of each one's first owner.
    package private(set) var all: [UniqueClaim] = []
    private var places: [UniqueClaim: Int] = [:]
    private var first: [Owner] = []
    private var others: [Int: [Owner]] = [:]

    package init(capacity: Int) { places.reserveCapacity(capacity) }

    package mutating func add(_ claim: UniqueClaim, of owner: Owner) {
        let place = places[claim, default: all.count]
        if place < all.count { return others[place, default: []].append(owner) }
        places[claim] = place
        all.append(claim)
        first.append(owner)
    }

    /// The owners of the claim at a place of `all`, in the order in which they were added.
    package func owners(at place: Int) -> [Owner] { [first[place]] + (others[place] ?? []) }

    /// Whether the claim at a place of `all` has more owners than one, which violates its constraint.
    package func isShared(at place: Int) -> Bool { others[place] != nil }
}

extension [UniqueClaim] {
    /// The places of the claims to each constraint.
    func byConstraint() -> [(constraint: EntityLayout.UniquenessConstraint, places: [Int])] {
        var groups: [(constraint: EntityLayout.UniquenessConstraint, places: [Int])] = []
        for (place, claim) in enumerated() {
            if let group = groups.firstIndex(where: { $0.constraint.isSame(as: claim.constraint) }) {
                groups[group].places.append(place)
            } else {
                groups.append((claim.constraint, [place]))
            }
        }
        return groups
    }
}

extension EntityLayout.UniquenessConstraint {
    /// Whether it is the same one, possibly inherited.
    fileprivate func isSame(as other: Self) -> Bool {
        constrainedEntity === other.constrainedEntity && slots == other.slots
    }
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
        lhs.constraint.isSame(as: rhs.constraint)
            && lhs.values.elementsEqual(rhs.values) { $0.isExactly($1) }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
