import FirnLog

/// What a change set says of one member of a relationship that no to-one tells.
struct LinkChange {
    let source: String
    let relationship: String
    let destination: String
    let isAdded: Bool

    /// Those that went, then those that came.
    static func all(of group: LinkGroup, _ names: ModelNames) -> [LinkChange] {
        let name = names.property(group.slot, of: group.entity)?.name ?? "slot \(group.slot)"
        return [(false, group.removed), (true, group.added)].flatMap { isAdded, links in
            links.map { link in
                LinkChange(
                    source: names.object(link.source), relationship: name,
                    destination: names.object(link.destination), isAdded: isAdded)
            }
        }
    }

    var text: String {
        Console.styled(isAdded ? "+" : "-", isAdded ? .green : .red) + " \(source).\(relationship) \(destination)"
    }

    var json: JSONObject {
        var object = JSONObject()
        object["operation"] = .text(isAdded ? "link" : "unlink")
        object["source"] = .text(source)
        object["relationship"] = .text(relationship)
        object["destination"] = .text(destination)
        return object
    }
}
