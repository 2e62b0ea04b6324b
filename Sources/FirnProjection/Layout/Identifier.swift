/// `name` as an SQL identifier. Every name of a model must be quoted, because it may hold quotes, spaces or words of
/// SQL.
package func quoted(_ name: String) -> String {
    if !name.utf8.contains(UInt8(ascii: "\"")) { return "\"\(name)\"" }
    var result = "\""
    for character in name.unicodeScalars {
        if character == "\"" { result += "\"\"" } else { result.unicodeScalars.append(character) }
    }
    return result + "\""
}

/// Makes names that SQLite distinguishes. SQLite ignores the case of ASCII letters in names, a model does not.
struct NameRegister {
    /// Names that begin so are SQLite's or ours.
    static let reservedPrefixes = ["sqlite_", "z_", "firn_"]

    private var names: Set<String> = []

    /// `name` if it is free and may be used, else `prefix` + `name` with as many `_` between as it needs.
    mutating func register(_ name: String, elsePrefix prefix: String) -> String {
        let isUsable =
            !name.isEmpty && !name.utf8.contains(0)
            && !Self.reservedPrefixes.contains { Self.folded(name).hasPrefix($0) }
        if isUsable, names.insert(Self.folded(name)).inserted { return name }
        var candidate = prefix + "_" + name.filter { $0 != "\0" }
        while !names.insert(Self.folded(candidate)).inserted { candidate = "_" + candidate }
        return candidate
    }

    /// A name of our own making, which may begin with a reserved prefix.
    mutating func registerReserved(_ name: String) -> String {
        var candidate = name.filter { $0 != "\0" }
        while !names.insert(Self.folded(candidate)).inserted { candidate += "_" }
        return candidate
    }

    /// Only ASCII letters, as SQLite does it.
    private static func folded(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.map {
                    ("A"..."Z").contains($0) ? UnicodeScalar($0.value + 32) ?? $0 : $0
                }))
    }
}
