package import FirnLog

/// The change of one member of a relationship that no to-one has.
package struct LinkChange {
    package let source: String
    package let relationship: String
    package let destination: String
    package let isAdded: Bool

    /// The members that went, then those that came.
    package static func all(of group: LinkGroup, _ names: ModelNames) -> [LinkChange] {
        let name = names.property(group.slot, of: group.entity)?.name ?? "slot \(group.slot)"
        return [(false, group.removed), (true, group.added)].flatMap { isAdded, links in
            links.map { link in
                LinkChange(
                    source: names.object(link.source), relationship: name,
                    destination: names.object(link.destination), isAdded: isAdded)
            }
        }
    }

    package var json: JSONObject {
        var object = JSONObject()
        object["operation"] = .text(isAdded ? "link" : "unlink")
        object["source"] = .text(source)
        object["relationship"] = .text(relationship)
        object["destination"] = .text(destination)
        return object
    }
}
