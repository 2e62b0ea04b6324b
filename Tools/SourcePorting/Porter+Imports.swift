import SwiftTokens

extension Porter {
    private static let importKinds: Set<String> = [
        "class", "struct", "enum", "protocol", "func", "var", "let", "typealias", "actor",
    ]

    /// The modules of C's library, whose parts Linux has too. Of all others, only Objective-C knows parts.
    private static let platformModules: Set<String> = ["Android", "Glibc", "Musl", "SwiftGlibc", "WASILibc"]

    mutating func portImports() {
        // In a build for debugging, each call of a method of the porter copies it.
        for (index, token) in source.tokens.enumerated()
        where token.kind == .word && token.text == "import" && isImport(index) {
            var name = index + 1
            let hasKind = Self.importKinds.contains(source.text(at: name))
            if hasKind { name += 1 }
            var end = name
            while source.isSign(".", at: end + 1), source.isWord(at: end + 2) { end += 2 }
            let module = source.text(at: name)
            let all = source.declarationStart(index)...end
            if Modules.lacking.contains(module) {
                lackingImports.insert(module)
                guardImport(all, module)
            } else {
                imports.append(module)
                let isSubmodule = !hasKind && !Self.platformModules.contains(module)
                guard end > name, module == "CoreData" || isSubmodule else { continue }
                report(.submodule, at: index, source.text(of: source.range(of: index...end)))
                replace(source.range(of: (index + 1)...end), with: module, applied: .same)
            }
        }
    }

    /// Whether the word `import` begins a declaration.
    private func isImport(_ index: Int) -> Bool {
        source.isWord(at: index + 1) && !source.isSign(".", at: index - 1)
    }

    private mutating func guardImport(_ tokens: ClosedRange<Int>, _ module: String) {
        let range = source.range(of: tokens)
        let text = source.text(of: range)
        report(.lackingModule, at: tokens.upperBound, text.split(separator: "\n").joined(separator: " "))
        let line = source.tokens[tokens.upperBound].line
        let parts = module == "Combine" ? Modules.openCombineParts.filter(index.modules.contains) : []
        let stead =
            Modules.stead[module].map { stead in
                "\n#elseif canImport(\(stead))" + ([stead] + parts).map { "\nimport \($0)" }.joined()
            } ?? ""
        let guarded = "#if canImport(\(module))\n\(text)\(stead)\n#endif"
        replace(range, with: "\n\(guarded)\n\(location(line: line + 1))", applied: .text(guarded))
    }

    private func modulesToImport() -> [String] {
        var needed: Set<String> = []
        for (index, token) in source.tokens.enumerated() where token.kind == .word {
            if let module = Modules.needed(for: token.text), !isMember(index), !source.isSign("@", at: index - 1) {
                needed.insert(module)
            }
        }
        if !lackingImports.isEmpty { needed.insert("Foundation") }
        // Foundation re-exports Combine on Apple's systems.
        if index.modules.contains("OpenCombine"), !lackingImports.contains("Combine"),
            source.tokens.contains(where: { $0.kind == .word && Self.publishers.contains($0.text) })
        {
            needed.formUnion(["OpenCombine"] + Modules.openCombineParts.filter(index.modules.contains))
        }
        // CoreData re-exports Foundation.
        if needed.contains("CoreData") || imports.contains("CoreData") { needed.remove("Foundation") }
        return needed.subtracting(imports).sorted()
    }

    /// Whether a name is one of a value or type, not of a module.
    private func isMember(_ index: Int) -> Bool {
        source.isSign(".", at: index - 1) && !["Foundation", "ObjectiveC"].contains(source.text(at: index - 2))
            && !Modules.coreDataMembers.contains(source.text(at: index))
    }

    mutating func findMissingImports() {
        missingImports = modulesToImport()
        for module in missingImports {
            findings.append(
                PortFinding(.missingImport, file: source.path, line: 1, text: "import \(module)"))
        }
    }
}
