import Foundation
import Testing

/// What the compiler reports of a file of a user's, in Swift 6 mode.
private struct Compilation {
    let report: String

    /// Whether an error with this text leads to a line of the file.
    func reports(_ text: String, at line: Int) -> Bool {
        report.contains(text) && report.contains("/User.swift:\(line):")
    }

    init(_ source: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, output) = (folder.appendingPathComponent("User.swift"), folder.appendingPathComponent("report"))
        try ("import SwiftData\n" + source).write(to: file, atomically: true, encoding: .utf8)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6"]
            + (try Self.modules()) + [file.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: output)
        try process.run()
        process.waitUntilExit()
        report = try String(contentsOf: output, encoding: .utf8)
    }

    /// Where the compiler finds the module, its macros, and the libraries of C behind it.
    private static func modules() throws -> [String] {
        let macros = try #require(MacroExpansion.program)
        let folder = URL(fileURLWithPath: macros).deletingLastPathComponent().appendingPathComponent("Modules")
        var sources = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { sources.deleteLastPathComponent() }
        sources.appendPathComponent("Sources")
        let maps = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            .map { sources.appendingPathComponent($0 + "/module.modulemap").path }
            .filter(FileManager.default.fileExists)
        return ["-I", folder.path, "-load-plugin-executable", macros + "#SwiftDataMacros"]
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
    }
}

@Suite("What the compiler says of models", .enabled(if: MacroExpansion.program != nil))
struct CompilerTests {
    @Test("s.9 a property whose type is not Codable leads to its line, with what to do", arguments: ["", "?"])
    func notCodable(_ mark: String) throws {
        let compilation = try Compilation(
            """
            struct Plain {}
            @Model final class A {
                var number: Int = 0
                var plain: Plain\(mark)
                init(plain: Plain) { self.plain = plain }
            }
            """)
        #expect(compilation.reports("make its type Codable, or mark it @Transient", at: 5), "\(compilation.report)")
        #expect(!compilation.report.contains("/User.swift:4:"))
    }

    @Test("s.9 a model compiles without a warning")
    func nothing() throws {
        let compilation = try Compilation(
            """
            struct Part: Codable { var a = 1 }
            @Model final class A {
                var part: Part?
                var others: [A] = []
                @Transient var plain: () -> Void = {}
                init() {}
            }
            """)
        #expect(compilation.report == "")
    }

    @Test("s.10 @Relationship on a value leads to its line", arguments: ["String", "[Int]", "Part", "Date?"])
    func relationshipOfValue(_ type: String) throws {
        let compilation = try Compilation(
            """
            struct Part: Codable { var a = 1 }
            @Model final class A {
                @Relationship var value: \(type)
                init(value: \(type)) { self.value = value }
            }
            """)
        #expect(compilation.reports("a relationship leads to a model", at: 4), "\(compilation.report)")
    }

    @Test("s.10 an inverse that is an attribute leads to its line")
    func inverseOfValue() throws {
        let compilation = try Compilation(
            """
            @Model final class A {
                @Relationship(inverse: \\B.name) var b: B?
                init() {}
            }
            @Model final class B {
                var name: String = ""
                init() {}
            }
            """)
        #expect(compilation.reports("this is an attribute", at: 3), "\(compilation.report)")
    }

    @Test("s.10 relationships of each kind compile with their inverses, of models that are Codable too")
    func relationships() throws {
        let compilation = try Compilation(
            """
            @Model final class A: Codable {
                @Relationship(inverse: \\B.one) var ones: [B] = []
                @Relationship(inverse: \\B.many) var many: [B]? = nil
                @Relationship(deleteRule: .cascade) var c: B
                init(c: B) { self.c = c }
                init(from decoder: any Decoder) throws { c = B() }
                func encode(to encoder: any Encoder) throws {}
            }
            @Model final class B {
                var one: A?
                var many: [A] = []
                init() {}
            }
            """)
        #expect(compilation.report == "")
    }

    @Test("s.10 a key path that is misspelt leads to its line")
    func misspelt() throws {
        let compilation = try Compilation(
            """
            @Model final class A {
                #Index<A>([\\.nmae])
                @Relationship(inverse: \\B.aa) var b: B?
                init() {}
            }
            @Model final class B {
                var a: A?
                init() {}
            }
            """)
        #expect(compilation.reports("'nmae'", at: 3), "\(compilation.report)")
        #expect(compilation.reports("'aa'", at: 4), "\(compilation.report)")
    }

    @Test("s.10 inverses that are named on both sides lead to the second")
    func bothInverses() throws {
        let compilation = try Compilation(
            """
            @Model final class A {
                @Relationship(inverse: \\B.a) var b: B?
                init() {}
            }
            @Model final class B {
                @Relationship(inverse: \\A.b) var a: A?
                init() {}
            }
            """)
        #expect(compilation.report.contains("circular reference"))
        #expect(compilation.report.contains("/User.swift:3:") || compilation.report.contains("/User.swift:7:"))
    }

    @Test("s.1 a model and a context do not cross to another actor")
    func sending() throws {
        let compilation = try Compilation(
            """
            @Model final class A {
                init() {}
            }
            func use(_ context: ModelContext, _ model: A) {
                Task.detached { print(context) }
                Task.detached { print(model) }
            }
            """)
        #expect(compilation.reports("error:", at: 6))
        #expect(compilation.reports("error:", at: 7))
    }
}
