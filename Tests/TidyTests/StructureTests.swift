import Foundation
import Testing

@Suite("The modules keep their structure")
struct StructureTests {
    private func expectNone(_ findings: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }

    @Test("folders form no circle, or no larger one than before", arguments: StructureRules.modules)
    func circles(_ module: String) {
        expectNone(StructureRules.circle(module, FolderGraph(module: module, files: SourceTree.swiftFiles)))
    }

    @Test("folders name types of those below them only", arguments: StructureRules.folderOrder.keys.sorted())
    func order(_ module: String) {
        expectNone(StructureRules.order(module, FolderGraph(module: module, files: SourceTree.swiftFiles)))
    }

    /// With `FIRN_WRITE_CONFORMANCE` set the drawings are written: that is what `Tools/conformance` does.
    @Test("the folders are as they are drawn")
    func drawn() throws {
        let page = try #require(SourceTree.files.first { $0.path == FolderDrawing.page })
        #expect(Set(FolderDrawing.modules(of: page.text)).isSuperset(of: StructureRules.folderOrder.keys))
        let made = FolderDrawing.made(from: page.text, files: SourceTree.swiftFiles)
        guard ProcessInfo.processInfo.environment["FIRN_WRITE_CONFORMANCE"] == nil else {
            return try Data(made.utf8).write(to: SourceTree.root.appending(path: FolderDrawing.page))
        }
        #expect(made == page.text, "\(FolderDrawing.page) draws other folders: run Tools/conformance")
    }

    @Test("every module of the layer table is looked at")
    func modules() {
        let folders = SourceTree.swiftFiles.filter { $0.path.hasPrefix("Sources/") }
            .map { String($0.path.split(separator: "/")[1]) }
        #expect(Set(folders) == Set(StructureRules.modules))
    }

    @Test("a module becomes no larger", arguments: StructureRules.lineLimits.keys.sorted())
    func lines(_ module: String) { expectNone(StructureRules.lines(module, SourceTree.swiftFiles)) }

    @Test("unsafe constructs become no more")
    func unsafeConstructs() { expectNone(StructureRules.unsafeConstructs(SourceTree.swiftFiles)) }

    @Test("unchecked promises become no more")
    func unchecked() { expectNone(StructureRules.unchecked(SourceTree.swiftFiles)) }

    @Test("no private word, verb or cast is used")
    func words() {
        expectNone(SourceTree.files.flatMap(StructureRules.words))
    }
}

@Suite("Each rule of structure finds what it is for")
struct StructureRuleTests {
    private func file(_ text: String, at path: String) -> SourceTree.File { SourceTree.File(path: path, text: text) }

    private func graph(_ low: String, _ high: String) -> FolderGraph {
        FolderGraph(
            module: "A", files: [file(low, at: "Sources/A/Low/Low.swift"), file(high, at: "Sources/A/High/High.swift")])
    }

    @Test("a type of a low folder that names one of a high folder, which names it")
    func circle() {
        let circle = graph("struct Low { var high: High }", "final class High { var low: Low? }")
        #expect(circle.largestCircle == ["High", "Low"])
        #expect(StructureRules.circle("A", circle, limits: [:]).count == 1)
        #expect(StructureRules.circle("A", circle, limits: ["A": 3]).count == 1)
        #expect(StructureRules.circle("A", circle, limits: ["A": 2]).isEmpty)
    }

    @Test("a folder that names one above it, and one without a place")
    func order() {
        let graph = graph("struct Low { var high: High }", "final class High {}")
        #expect(StructureRules.order("A", graph, orders: ["A": [["Low"], ["High"]]]).count == 1)
        #expect(StructureRules.order("A", graph, orders: ["A": [["High"]]]).count == 1)
        #expect(StructureRules.order("A", graph, orders: ["A": [["High"], ["Low"]]]).isEmpty)
        #expect(StructureRules.order("A", graph, orders: ["A": [["Low", "High"]]]).isEmpty)
    }

    @Test("a drawing has the arrows that do not follow from others, and a circle in one box")
    func drawing() {
        let files = [
            file("struct A1 { var b: B1 }", at: "Sources/M/A/A.swift"),
            file("class B1 { var a: A1? }", at: "Sources/M/B/B.swift"),
            file("struct C1 { var a: A1 }", at: "Sources/M/C/C.swift"),
            file("struct D1 { var c: C1, b: B1 }", at: "Sources/M/D/D.swift"),
        ]
        let diagram = """
            flowchart BT
                AB["A ⟷ B"]
                C --> AB
                D --> C
            """
        #expect(FolderGraph(module: "M", files: files).diagram == diagram)
        let page = "Folders of `M`:\n\n```mermaid\nold\n```\nText.\n"
        let made = "Folders of `M`:\n\n```mermaid\n\(diagram)\n```\nText.\n"
        #expect(FolderDrawing.made(from: page, files: files) == made)
    }

    @Test("no circle, where a comment or a nested name of two folders would make one")
    func noCircle() {
        let high = "final class High { var low: Low?; enum State {} }"
        #expect(graph("/// For `High`.\nstruct Low {}", high).largestCircle.isEmpty)
        #expect(graph("struct Low { enum State {} }", high).largestCircle.isEmpty)
        #expect(graph("import class Kit.Low\nstruct Low {}", "import Kit\n" + high).largestCircle.isEmpty)
    }

    @Test("a module with a line too many, and one whose limit is far away")
    func lines() {
        let files = [file("let a = 1\nlet b = 2\n", at: "Sources/A/B.swift"), file("let c = 3\n", at: "Sources/C/D")]
        #expect(StructureRules.lines("A", files, limits: ["A": 1]).count == 1)
        #expect(StructureRules.lines("A", files, limits: ["A": 2]).isEmpty)
        #expect(StructureRules.lines("A", files, limits: ["A": 502]).isEmpty)
        #expect(StructureRules.lines("A", files, limits: ["A": 503]).count == 1)
        #expect(StructureRules.lines("A", files, limits: [:]).isEmpty)
    }

    @Test("an unchecked promise too many, and one too few")
    func unchecked() {
        let files = [
            file("class A: @unchecked Sendable {} // @unchecked Sendable", at: "Sources/A/A.swift"),
            file("let work = Transferred(work)", at: "Sources/A/C.swift"),
            file("class B: @unchecked Sendable {}", at: "Tests/A/B.swift"),
        ]
        #expect(StructureRules.unchecked(files, limit: 1).count == 1)
        #expect(StructureRules.unchecked(files, limit: 2).isEmpty)
        #expect(StructureRules.unchecked(files, limit: 3).count == 1)
    }

    @Test("an unsafe construct too many, one too few, and one where C is wrapped")
    func unsafeConstructs() {
        let code = file("let a = unsafeBitCast(b, to: C.self)", at: "Sources/A/B/C.swift")
        #expect(StructureRules.unsafeConstructs([code], limits: [:]).count == 1)
        #expect(StructureRules.unsafeConstructs([code], limits: ["Sources/A/B": 2]).count == 1)
        #expect(StructureRules.unsafeConstructs([code], limits: ["Sources/A/B": 1]).isEmpty)
        let wrapped = file("let a: OpaquePointer", at: "Sources/FirnSQLite/C.swift")
        #expect(StructureRules.unsafeConstructs([wrapped], limits: [:]).isEmpty)
    }

    @Test(
        "a private word, a private verb, a cast to a store",
        arguments: [
            "/// Builds it \("an" + "ew").", "    func \("ta" + "ke")(_ a: Int) {}",
            "let engine = backend \("a" + "s?") StoreEngine",
        ])
    func words(_ line: String) {
        #expect(StructureRules.words(in: file(line, at: "Sources/A/B.swift")).count == 1)
        #expect(StructureRules.words(in: file(line, at: "Tools/A/B.swift")).count == 1)
        #expect(StructureRules.words(in: file(line, at: "Tests/A/B.swift")).isEmpty)
    }
}
