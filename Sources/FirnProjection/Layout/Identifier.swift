/// `name` as an SQL identifier. Every name of a model goes through here: a name may hold quotes, spaces or words
/// of SQL.
package func quoted(_ name: String) -> String {
    if !name.utf8.contains(UInt8(ascii: "\"")) { return "\"\(name)\"" }
    var result = "\""
    for character in name.unicodeScalars {
        if character == "\"" { result += "\"\"" } else { result.unicodeScalars.append(character) }
    }
    return result + "\""
}

/// Gives names that SQLite tells apart. SQLite ignores the case of ASCII letters in names, a model does not.
struct NameRegister {
    /// Names that begin so are SQLite's or ours.
    static let reservedPrefixes = ["sqlite_", "z_", "firn_"]

    private var taken: Set<String> = []

    /// `name` if it is free and may be used, else `prefix` + `name` with as many `_` between as it needs.
    mutating func take(_ name: String, elsePrefix prefix: String) -> String {
        let isUsable =
            !name.isEmpty && !name.utf8.contains(0)
            && !Self.reservedPrefixes.contains { Self.folded(name).hasPrefix($0) }
        if isUsable, taken.insert(Self.folded(name)).inserted { return name }
        var candidate = prefix + "_" + name.filter { $0 != "\0" }
        while !taken.insert(Self.folded(candidate)).inserted { candidate = "_" + candidate }
        return candidate
    }

    /// A name of our own making, which may begin with a reserved prefix.
    mutating func takeReserved(_ name: String) -> String {
        var candidate = name.filter { $0 != "\0" }
        while !taken.insert(Self.folded(candidate)).inserted { candidate += "_" }
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
