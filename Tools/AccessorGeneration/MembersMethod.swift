/// Which change of a to-many relationship a method's name stands for, as Xcode writes them.
///
/// The relationship's name is what is left with a small first letter: `addToBooks(_:)` adds to `books`.
struct MembersMethod {
    /// `add`, `remove`, `removeat`, `insert` or `replace`.
    let operation: String
    /// The relationship's name.
    let key: String
    /// A call of `NSManagedObject`'s support for accessors.
    let call: String

    init?(_ name: String, _ parameters: [ManagedMember.Parameter]) {
        let labels = parameters.map(\.label)
        let names = parameters.map(\.name)
        func key(_ prefix: String, _ suffix: String = "") -> String? {
            guard name.hasPrefix(prefix), name.hasSuffix(suffix),
                name.count > prefix.count + suffix.count
            else { return nil }
            return name.dropFirst(prefix.count).dropLast(suffix.count).loweringFirst
        }
        let found: (operation: String, key: String)?
        switch labels {
        case ["_"]:
            let added = key("addTo") ?? key("add", "Object") ?? key("add")
            let removed = key("removeFrom") ?? key("remove", "Object") ?? key("remove")
            found = added.map { ("add", $0) } ?? removed.map { ("remove", $0) }
        case ["at"]: found = key("removeFrom").map { ("removeat", $0) }
        case ["_", "at"]: found = key("insertInto").map { ("insert", $0) }
        case ["at", "with"]: found = key("replace").map { ("replace", $0) }
        default: found = nil
        }
        guard let found else { return nil }
        (operation, self.key) = found
        let quoted = found.key.quoted
        switch operation {
        case "add": call = "addManaged(\(names[0]), to: \(quoted))"
        case "remove": call = "removeManaged(\(names[0]), from: \(quoted))"
        case "removeat": call = "removeManaged(at: \(names[0]), from: \(quoted))"
        case "insert": call = "insertManaged(\(names[0]), into: \(quoted), at: \(names[1]))"
        default: call = "replaceManaged(at: \(names[0]), in: \(quoted), with: \(names[1]))"
        }
    }
}

extension StringProtocol {
    var loweringFirst: String { prefix(1).lowercased() + dropFirst() }
}

extension String {
    var quoted: String { "\"\(self)\"" }
}
