import FirnLog

/// What tells two models of a store apart, in words.
enum ModelDifference {
    static func describe(_ stored: LogModel, _ given: LogModel) -> String {
        let old = Dictionary(stored.entities.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let new = Dictionary(given.entities.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var parts: [String] = []
        for name in old.keys.sorted() where new[name] == nil { parts.append("entity \(name) is missing") }
        for name in new.keys.sorted() where old[name] == nil { parts.append("entity \(name) is new") }
        for name in new.keys.sorted() {
            guard let before = old[name], let after = new[name] else { continue }
            parts += describe(before, after)
        }
        return parts.isEmpty ? "their documents differ" : parts.joined(separator: ", ")
    }

    private static func describe(_ old: LogEntity, _ new: LogEntity) -> [String] {
        let before = Dictionary(old.properties.map { ($0.name, $0.kind) }, uniquingKeysWith: { $1 })
        let after = Dictionary(new.properties.map { ($0.name, $0.kind) }, uniquingKeysWith: { $1 })
        var parts: [String] = []
        for name in before.keys.sorted() where after[name] == nil { parts.append("\(new.name).\(name) is missing") }
        for name in after.keys.sorted() {
            if let kind = before[name] {
                if kind != after[name] { parts.append("\(new.name).\(name) is of another kind") }
            } else {
                parts.append("\(new.name).\(name) is new")
            }
        }
        return parts
    }
}
