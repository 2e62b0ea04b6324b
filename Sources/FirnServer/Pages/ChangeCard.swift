#if Server
import FirnInspection
import FirnLog

/// What a record did to one object, with old and new values.
struct ChangeCard {
    struct Property {
        let name: String
        let old: PageValue?
        let new: PageValue?
        let diff: LineDifference?
    }

    let kind: String
    let sign: String
    let word: String
    let object: String
    let href: String
    let hasProperties: Bool
    let hasOld: Bool
    let hasNew: Bool
    let properties: [Property]
    /// Names of to-many relationships whose members changed.
    let touched: String?

    /// - Parameter asOf: the record that links lead to.
    init(_ change: ObjectChange, _ pages: PageLibrary, asOf: UInt64?) {
        let group = change.group
        (kind, sign, word) =
            switch group.operation {
            case .insert: ("added", "+", "created")
            case .update: ("changed", "~", "changed")
            case .delete: ("removed", "−", "deleted")
            case .refresh: ("refreshed", "!", "read again")
            }
        object = change.object
        // A deleted object is there until the record before.
        href = pages.object(change.object, asOf: group.operation == .delete ? asOf.map { $0 - 1 } : asOf)
        (hasOld, hasNew) = (!group.old.isEmpty, !group.new.isEmpty)
        properties = group.slots.indices.compactMap { index in
            let property = change.names.property(group.slots[index], of: group.entity)
            let old = change.value(group.old, index, property)
            let new = change.value(group.new, index, property)
            guard old != nil || new != nil else { return nil }
            // A group names every property that is set in some of its objects.
            if group.operation != .update, old?.value.isNull ?? true, new?.value.isNull ?? true { return nil }
            var difference: LineDifference?
            if case (.text(let old)?, .text(let new)?) = (old?.value, new?.value) {
                difference = LineDifference(old, new)
            }
            return Property(
                name: property?.name ?? "slot \(group.slots[index])",
                old: old.map { PageValue($0, pages, asOf: asOf.map { $0 - 1 }) },
                new: new.map { PageValue($0, pages, asOf: asOf) }, diff: difference)
        }
        hasProperties = !properties.isEmpty
        let names = group.slots.indices.filter(change.isTouched)
            .compactMap { change.names.property(group.slots[$0], of: group.entity)?.name }
        touched = names.isEmpty ? nil : names.joined(separator: ", ")
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
