/// Nothing imports upward or sideways: a file imports what its target declares, and the system.
struct ImportRule {
    let manifest: Manifest

    /// What any target may import without declaring it.
    static let system: Set<String> = [
        "Swift", "Observation", "Foundation", "FoundationEssentials", "FoundationXML", "Glibc", "Musl",
        "Synchronization", "CDispatch", "Dispatch",
    ]
    /// Targets that are used where Foundation is not wanted.
    static let withoutFoundation: Set<String> = ["FirnLog"]

    /// Products that only tests use.
    static let forTests: Set<String> = ["CoreDataTesting"]

    func findings(in file: SourceTree.File) -> [String] {
        guard let target = manifest.target(of: file.path) else {
            return file.path == "Package.swift"
                ? [] : ["\(file.path): in no target of Package.swift"]
        }
        if target.ported.contains(where: file.path.hasPrefix) { return [] }
        return Self.imports(in: file.text).filter { !allows($0, in: target) }
            .map { "\(file.path): \(target.name) may not import \($0)" }
    }

    private func allows(_ module: String, in target: Manifest.Target) -> Bool {
        if target.dependencies.contains(module) { return true }
        if Self.withoutFoundation.contains(target.name), module.hasPrefix("Foundation") {
            return false
        }
        if target.isTest || Self.forTests.contains(target.name), module == "Testing" { return true }
        if target.isPlugin, module == "PackagePlugin" { return true }
        return Self.system.contains(module)
    }

    /// The modules that a text imports, in any of the forms of an import.
    static func imports(in text: String) -> [String] {
        let declaration =
            #/
            ^\s*
            (?:@\w+(?:\([^)]*\))?\s+)*
            (?:(?:public|package|internal|fileprivate|private)\s+)?
            import\s+
            (?:(?:class|struct|enum|protocol|func|var|let|typealias|actor)\s+)?
            (\w+)
            /#
        guard text.contains("import") else { return [] }
        return SwiftText.code(of: text).split(separator: "\n")
            .filter { $0.contains("import ") }
            .compactMap { $0.firstMatch(of: declaration).map { String($0.output.1) } }
    }
}
