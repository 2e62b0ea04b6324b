import Testing

@Suite("Imports keep the layers")
struct ImportTests {
    let manifest = Manifest(
        SourceTree.files.first { $0.path == "Package.swift" }?.text ?? "")

    @Test("every file imports only what its target declares")
    func layers() {
        let rule = ImportRule(manifest: manifest)
        let findings = SourceTree.swiftFiles.filter { !isInPackageOfItsOwn($0.path) }
            .flatMap { rule.findings(in: $0) }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    /// The benchmarks depend on this package from outside: its layers are not theirs.
    private func isInPackageOfItsOwn(_ path: String) -> Bool {
        SourceTree.files.contains { file in
            file.path.hasSuffix("/Package.swift")
                && path.hasPrefix(file.path.dropLast("Package.swift".count))
        }
    }

    @Test("the manifest's rooms are those of the layer table")
    func table() throws {
        let page = try #require(
            SourceTree.files.first { $0.path == "Documentation/Architecture.md" })
        let table = LayerTable(page.text)
        for target in manifest.targets
        where target.folder == "Sources/" + target.name && !target.isTest {
            #expect(table.mayImport[target.name] == target.dependencies, "\(target.name)")
        }
        #expect(
            table.mayImport.keys.allSatisfy { name in manifest.targets.contains { $0.name == name }
            },
            "\(table.mayImport.keys.sorted())")
    }

    @Test("an import upward is found")
    func upward() {
        let rule = ImportRule(manifest: Manifest(#"room("Low", []) + room("High", ["Low"])"#))
        let low = SourceTree.File(path: "Sources/Low/A.swift", text: "public import High\n")
        #expect(rule.findings(in: low) == ["Sources/Low/A.swift: Low may not import High"])
    }

    @Test("a declared import is not found")
    func downward() {
        let rule = ImportRule(manifest: Manifest(#"room("Low", []) + room("High", ["Low"])"#))
        let high = SourceTree.File(path: "Sources/High/A.swift", text: "import Low\n")
        #expect(rule.findings(in: high).isEmpty)
    }

    @Test("Foundation in the log is found")
    func foundation() {
        let rule = ImportRule(manifest: Manifest(#"room("FirnLog", ["CZstd"])"#))
        let file = SourceTree.File(path: "Sources/FirnLog/A.swift", text: "import Foundation\n")
        #expect(
            rule.findings(in: file) == [
                "Sources/FirnLog/A.swift: FirnLog may not import Foundation"
            ])
    }

    @Test("a file outside every target is found")
    func stray() {
        let rule = ImportRule(manifest: Manifest(""))
        let file = SourceTree.File(path: "Sources/Lost/A.swift", text: "")
        #expect(rule.findings(in: file) == ["Sources/Lost/A.swift: in no target of Package.swift"])
    }

    @Test(
        "an import is seen in each of its forms",
        arguments: [
            "import A", "public import A", "@_exported public import class A.NSPredicate",
            "@preconcurrency import A", "    package import struct A.B",
            "#if canImport(A)\nimport A\n#endif",
        ])
    func forms(_ text: String) {
        #expect(ImportRule.imports(in: text) == ["A"])
    }

    @Test("an import in a comment or a string is none")
    func prose() {
        #expect(ImportRule.imports(in: "// import A\nlet a = \"import B\"\n").isEmpty)
    }

    @Test("products of the server and names with a hyphen are read")
    func served() {
        let text = """
            .executableTarget(
                name: "firn-serve", dependencies: ["FirnServer", served("Logging", "swift-log")],
                path: "Tools/firn-serve", swiftSettings: settings),
            """
        #expect(
            Manifest(text).targets == [
                .init(
                    name: "firn-serve", folder: "Tools/firn-serve", dependencies: ["FirnServer", "Logging"],
                    isTest: false)
            ])
    }

    @Test("the manifest's executables, paths and products are read")
    func executables() {
        let text = """
            .executableTarget(
                name: "firn",
                dependencies: ["Firn", .product(name: "ArgumentParser", package: "swift-argument-parser"),],
                path: "Tools/firn",
                swiftSettings: settings),
            .testTarget(name: "TidyTests", swiftSettings: settings),
            """
        #expect(
            Manifest(text).targets == [
                .init(
                    name: "firn", folder: "Tools/firn", dependencies: ["Firn", "ArgumentParser"],
                    isTest: false),
                .init(name: "TidyTests", folder: "Tests/TidyTests", dependencies: [], isTest: true),
            ])
    }
}
