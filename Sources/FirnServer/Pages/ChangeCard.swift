#if Server
import FirnInspection
import FirnLog

/// The change of one object in a record, with old and new values.
struct ChangeCard {
    struct Property {
        let name: String
        let old: PageValue?
        let new: PageValue?
        let diff: LineDifference?
    }

    /// A to-many relationship whose members changed.
    struct Touched {
        let name: String
        let members: [Member]
        /// The words for what happened, where no member is named.
        let words: String?
    }

    struct Member {
        let kind: String
        let sign: String
        let word: String
        let name: String
        let href: String
    }

    /// The record that changed the object last.
    struct Last {
        let number: String
        let record: String
        let who: String

        init(_ save: SavesBetween.Save, _ pages: PageLibrary) {
            (number, who) = ("\(save.sequence)", PageText.cut(save.author, 100))
            record = pages.record(save.sequence.rawValue)
        }
    }

    /// Members of one relationship that are named.
    private static let memberMax = 100

    let kind: String
    let sign: String
    let word: String
    let object: String
    let href: String
    let hasProperties: Bool
    let hasOld: Bool
    let hasNew: Bool
    let properties: [Property]
    let touched: [Touched]
    let last: Last?
    /// The approximate bytes on a page.
    var size: Int {
        let values = properties.reduce(0) { $0 + ($1.diff?.size ?? (($1.old?.size ?? 0) + ($1.new?.size ?? 0))) + 60 }
        return values + touched.reduce(400) { $0 + $1.members.count * 180 }
    }

    /// - Parameters:
    ///   - asOf: the record that links lead to.
    ///   - last: the save that changed the object last, for a change that is one of several records.
    ///   - titles: objects by what people know them by.
    init(
        _ change: LoggedChange, _ pages: PageLibrary, asOf: UInt64?, last: SavesBetween.Save? = nil,
        titles: [String: String] = [:]
    ) {
        self.last = last.map { Last($0, pages) }
        let group = change.group
        (kind, sign, word) =
            switch group.operation {
            case .insert: ("added", "+", "created")
            case .update: ("changed", "~", "changed")
            case .delete: ("removed", "−", "deleted")
            case .refresh: ("refreshed", "!", "read again")
            }
        object = titles[change.object] ?? change.object
        // A deleted object is there until the record before.
        href = pages.object(change.object, asOf: group.operation == .delete ? asOf.map { $0 - 1 } : asOf)
        (hasOld, hasNew) = (!group.old.isEmpty, !group.new.isEmpty)
        properties = group.slots.indices.compactMap { index in
            let property = change.names.property(group.slots[index], of: group.entity)
            if case .position? = property?.kind { return nil }
            let old = change.value(group.old, index, property)
            let new = change.value(group.new, index, property)
            guard old != nil || new != nil else { return nil }
            // A group names every property that is set in some of its objects.
            if group.operation != .update, old?.value.isNull ?? true, new?.value.isNull ?? true { return nil }
            var difference: LineDifference?
            if case (.text(let old)?, .text(let new)?) = (old?.value, new?.value) {
                difference = LineDifference(old, new)
            }
            // Between two points, of which this says nothing, there is no place of the old value.
            let place = asOf == nil ? nil : property.map { PageValue.Place(object: change.object, property: $0.name) }
            var before = old.map { PageValue($0, pages, asOf: asOf.map { $0 - 1 }, of: place, titles: titles) }
            var after = new.map { PageValue($0, pages, asOf: asOf, of: place, titles: titles) }
            PageValue.mark(&before, &after)
            return Property(
                name: property?.name ?? "slot \(group.slots[index])", old: before, new: after, diff: difference)
        }
        hasProperties = !properties.isEmpty
        let relationships = change.relationships.map { Self.touched($0, change.names, titles, pages, asOf: asOf) }
        let told = Set(relationships.map(\.name))
        // Of others the record does not tell the members.
        let others = change.touched.filter { !told.contains($0) }
        touched = relationships + others.map { Touched(name: $0, members: [], words: "members changed") }
    }

    private static func touched(
        _ relationship: LoggedChange.Relationship, _ names: ModelNames, _ titles: [String: String],
        _ pages: PageLibrary, asOf: UInt64?
    ) -> Touched {
        let members = relationship.members
        // A member that went may have been deleted, and was there until the record before.
        let added = members.added.prefix(memberMax).map(names.object).map {
            Member(kind: "link", sign: "+", word: "added", name: titles[$0] ?? $0, href: pages.object($0, asOf: asOf))
        }
        let removed = members.removed.prefix(memberMax).map(names.object).map {
            Member(
                kind: "unlink", sign: "−", word: "removed", name: titles[$0] ?? $0,
                href: pages.object($0, asOf: asOf.map { max($0, 1) - 1 }))
        }
        return Touched(
            name: relationship.name, members: added + removed,
            words: relationship.isReordered ? "order changed" : nil)
    }
}

/// A member that a relationship gained or lost.
struct LinkRow {
    let kind: String
    let sign: String
    let word: String
    let source: String
    let sourceHref: String
    let relationship: String
    let destination: String
    let destinationHref: String

    init(_ change: LinkChange, _ pages: PageLibrary, asOf: UInt64?) {
        kind = change.isAdded ? "link" : "unlink"
        sign = change.isAdded ? "+" : "−"
        word = change.isAdded ? "added" : "removed"
        source = change.source
        sourceHref = pages.object(change.source, asOf: asOf)
        relationship = change.relationship
        destination = change.destination
        destinationHref = pages.object(change.destination, asOf: asOf)
    }
}
#endif
