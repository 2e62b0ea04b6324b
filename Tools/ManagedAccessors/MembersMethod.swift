/// Which change of a to-many relationship a method's name stands for, as Xcode writes them.
///
/// The relationship's name is what is left with a small first letter: `addToBooks(_:)` adds to `books`.
struct MembersMethod {
    /// A call of `NSManagedObject`'s support for accessors.
    let call: String

    init?(_ name: String, _ parameters: [ManagedMember.Parameter]) {
        let labels = parameters.map(\.label)
        let names = parameters.map(\.name)
        func key(_ prefix: String, _ suffix: String = "") -> String? {
            guard name.hasPrefix(prefix), name.hasSuffix(suffix),
                name.count > prefix.count + suffix.count
            else { return nil }
            return name.dropFirst(prefix.count).dropLast(suffix.count).loweringFirst.quoted
        }
        switch labels {
        case ["_"]:
            if let key = key("addTo") ?? key("add", "Object") ?? key("add") {
                call = "addManaged(\(names[0]), to: \(key))"
            } else if let key = key("removeFrom") ?? key("remove", "Object") ?? key("remove") {
                call = "removeManaged(\(names[0]), from: \(key))"
            } else {
                return nil
            }
        case ["at"]:
            guard let key = key("removeFrom") else { return nil }
            call = "removeManaged(at: \(names[0]), from: \(key))"
        case ["_", "at"]:
            guard let key = key("insertInto") else { return nil }
            call = "insertManaged(\(names[0]), into: \(key), at: \(names[1]))"
        case ["at", "with"]:
            guard let key = key("replace") else { return nil }
            call = "replaceManaged(at: \(names[0]), in: \(key), with: \(names[1]))"
        default: return nil
        }
    }
}

extension StringProtocol {
    var loweringFirst: String { prefix(1).lowercased() + dropFirst() }
}

extension String {
    var quoted: String { "\"\(self)\"" }
}
