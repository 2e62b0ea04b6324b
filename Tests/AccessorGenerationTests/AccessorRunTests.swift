import AccessorGeneration
import Foundation
import TestSupport
import Testing

@Suite("Accessors are made again as far as the sources changed")
struct AccessorRunTests {
    /// A target's sources and an imported target's, with the tool in a folder of its own.
    private struct Target {
        let folder: URL
        var tool = "tool"
        var version = "1"
        var sources: [String: String] = [
            "A.swift": "import CoreData\nclass A: NSManagedObject {\n@NSManaged var a: Int\nfunc f() { g(1) }\n}\n",
            "B.swift": "class B: A {\n    @NSManaged var kind: Kind\n    @NSManaged var pair: Pair?\n}\n",
            "C.swift": "enum Kind: String { case one }\n",
        ]
        var imported: [String: String] = ["Pair.swift": "public struct Pair {}\n"]

        init(_ folder: URL) { self.folder = folder }

        private var library: URL { folder.appending(path: "\(tool)/build/debug/\(Archive.fileName)") }
        private var output: URL { folder.appending(path: "Accessors.swift") }
        var snapshot: URL { folder.appending(path: "Accessors.swift.snapshot") }

        /// Returns whether accessors were looked for in all files.
        @discardableResult
        func run() throws -> Bool {
            for (name, text) in sources.merging(imported, uniquingKeysWith: { first, _ in first }) {
                try Data(text.utf8).write(to: folder.appending(path: name))
                // A date that never changes, as a version control system may set it.
                let date = Date(timeIntervalSince1970: 1)
                try FileManager.default.setAttributes(
                    [.modificationDate: date], ofItemAtPath: folder.appending(path: name).path)
            }
            try FileManager.default.createDirectory(
                at: library.deletingLastPathComponent(), withIntermediateDirectories: true)
            let paths = [sources, imported].map { $0.keys.sorted().map { folder.appending(path: $0).path } }
            return try AccessorRun(
                [output.path, "Shop"] + paths[0] + ["--imported", "Base"] + paths[1],
                tool: library.deletingLastPathComponent().appending(path: "tool"), version: version
            ).perform()
        }

        func outputs() throws -> [String: [UInt8]] {
            let members = Archive(Array(try Data(contentsOf: library))).members
            return members.mapValues(\.bytes).merging(["": Array(try Data(contentsOf: output))]) { first, _ in first }
        }

        /// Removes all that runs have written.
        func removeOutputs() throws {
            for url in [folder.appending(path: tool), output, snapshot] {
                try? FileManager.default.removeItem(at: url)
            }
        }

        /// Compares the outputs with those of a run from nothing.
        func expectOutputs(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let found = try outputs()
            try removeOutputs()
            try run()
            let expected = try outputs()
            #expect(found == expected, comment, sourceLocation: sourceLocation)
        }

        func damageLibrary() throws { try Data("!<arch>\n".utf8).write(to: library) }
        func removeLibrary() throws { try FileManager.default.removeItem(at: library) }
        func removeOutput() throws { try FileManager.default.removeItem(at: output) }
    }

    @Test(
        "A change that declares nothing else makes no accessors",
        arguments: [
            ["A.swift", "g(1)", "g(2)"], ["A.swift", "import", "// A comment.\n\nimport"],
            ["A.swift", "func f()", "func h()"], ["C.swift", "case one", "case two"],
            ["B.swift", "class B", "public class B"],
        ])
    func otherwiseEqual(_ edit: [String]) throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder)
            let (first, second) = (try target.run(), try target.run())
            target.sources[edit[0]]?.replace(edit[1], with: edit[2])
            let third = try target.run()
            #expect([first, second, third] == [true, false, false])
            try target.expectOutputs()
        }
    }

    @Test(
        "A change of a declaration makes all accessors, also of the size and the date of the file before",
        arguments: [
            ["A.swift", "var a", "var b"], ["A.swift", "a: Int", "a: Date"], ["A.swift", "var a", "private var a"],
            ["A.swift", "@NSManaged ", ""], ["C.swift", "Kind", "Cats"],
            ["C.swift", "enum Kind: String", "struct Kind"], ["C.swift", "String", "Int"],
            ["B.swift", "class B: A", "extension A"],
        ])
    func otherDeclarations(_ edit: [String]) throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder)
            try target.run()
            target.sources[edit[0]]?.replace(edit[1], with: edit[2])
            if edit[1] == "Kind" { target.sources["B.swift"]?.replace("Kind", with: edit[2]) }
            #expect(try target.run())
            try target.expectOutputs()
        }
    }

    @Test("A change of an imported target's declaration makes all accessors")
    func importedDeclaration() throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder)
            try target.run()
            target.imported["Pair.swift"] = "public class  Pair {}\n"
            #expect(try target.run())
            try target.expectOutputs()
        }
    }

    @Test("A file that is added or removed makes all accessors")
    func otherFiles() throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder)
            try target.run()
            target.sources["B.swift"] = nil
            #expect(try target.run())
            target.sources["D.swift"] = "class D: A { @NSManaged var d: Double }\n"
            #expect(try target.run())
            try target.expectOutputs()
        }
    }

    @Test("A snapshot that is damaged, of another tool or of other outputs is ignored")
    func ignoredSnapshots() throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder)
            try target.run()
            func expectAll(_ comment: Comment) throws {
                let (first, second) = (try target.run(), try target.run())
                #expect([first, second] == [true, false], comment)
                try target.expectOutputs(comment)
            }
            try Data().write(to: target.snapshot)
            try expectAll("empty")
            try (Data(contentsOf: target.snapshot).dropLast(1)).write(to: target.snapshot)
            try expectAll("a byte is missing")
            try FileManager.default.removeItem(at: target.snapshot)
            try expectAll("no snapshot")
            try target.removeOutput()
            try expectAll("no output")
            try target.damageLibrary()
            try expectAll("a damaged library")
            try target.removeLibrary()
            try expectAll("no library")
            target.version = "2"
            try expectAll("another version of the tool")
            target.tool = "other"
            try expectAll("a tool in another folder, as in a build for release")
        }
    }

    @Test(
        "A brace in a literal, a name in backticks and a member's name begin no declaration",
        arguments: [
            "static let open = \"{\"", "static let quote = #\"\"\"#", "static let brace = /[{\"]/",
            "static let address = /https?:\\/\\//", "static let long = #/\n  [{\"]\n  /#",
            "static let kind = Kind.class\nstatic let other = 1", "enum Own { case `class`\ncase other }",
            "class dynamic func f() {}", "func f(actor name: String) {}",
        ])
    func namesAndLiterals(_ text: String) throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder)
            try target.run()
            let plain = try target.outputs()
            target.sources["A.swift"]?.replace("@NSManaged", with: text + "\n@NSManaged")
            try target.run()
            #expect(try target.outputs() == plain)
        }
    }

    @Test("A library without members of the target is made again after it was removed")
    func emptyLibrary() throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder)
            target.sources = ["A.swift": "struct A {}\n"]
            try target.run()
            try target.removeLibrary()
            #expect(try target.run())
            try target.expectOutputs()
        }
    }

    @Test("A run with an error leaves no snapshot")
    func failedRun() throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder)
            try target.run()
            target.sources["A.swift"]?.replace("a: Int", with: "a: Unknown")
            for _ in 0..<2 { #expect(throws: SourceError.self) { try target.run() } }
            target.sources["A.swift"]?.replace("a: Unknown", with: "a: Int")
            #expect(try target.run())
            try target.expectOutputs()
        }
    }
}
