import Foundation
import SourcePorting
import TestSupport
import Testing

@Suite("A target's sources are ported again as far as they changed")
struct PortingRunTests {
    /// A target's sources, with the copies in the folder `kept`.
    private struct Target {
        let folder: URL
        var sources: [String: String] = [:]
        var tool = "1"
        var generated: [String] = []

        private func path(_ name: String) -> String { folder.appending(path: name).path }

        /// Returns the files with findings, each of which was ported.
        @discardableResult
        func run(in copies: String = "kept") throws -> Set<String> {
            for (name, text) in sources { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try FileManager.default.createDirectory(atPath: path(copies), withIntermediateDirectories: true)
            let files = sources.keys.sorted().map { name in
                PortingRun.File(path: path(name), copy: path("\(copies)/+\(name)"))
            }
            let run = PortingRun(
                index: path("\(copies)/Index.swift"), files: files, modules: [], tool: tool,
                models: generated.map { Data($0.utf8) })
            return Set(try run.perform { generated }.map { URL(fileURLWithPath: $0.file).lastPathComponent })
        }

        /// The index and the copies of the present sources.
        func copies(in copies: String = "kept") throws -> [String: String] {
            let names = ["Index.swift"] + sources.keys.map { "+" + $0 }
            return Dictionary(
                uniqueKeysWithValues: try names.map { name in
                    (name, try String(contentsOf: folder.appending(path: "\(copies)/\(name)"), encoding: .utf8))
                })
        }

        func copiesFromNothing() throws -> [String: String] {
            try? FileManager.default.removeItem(atPath: path("new"))
            try run(in: "new")
            return try copies(in: "new")
        }

        func damageSnapshot(_ change: (inout Data) -> Void) throws {
            let url = folder.appending(path: "kept/Index.swift.snapshot")
            var data = try Data(contentsOf: url)
            change(&data)
            try data.write(to: url)
        }
    }

    private static let sources = [
        "A.swift": "@objc class A: NSManagedObject {\n    @objc var a: Int { 1 }\n    var set: NSSet?\n}\n",
        "B.swift": "@objc class B: A {\n    func f() { print(1) }\n}\n",
        "C.swift": "extension A {\n    @objc override func prepare() {}\n}\nlet c = #keyPath(A.a)\n",
    ]

    @Test(
        "A change that no other file hears of ports its file alone",
        arguments: [
            ["B.swift", "print(1)", "print(2)"], ["A.swift", "@objc class", "class"], ["C.swift", "\n}", "\n\n}"],
        ])
    func oneFile(_ edit: [String]) throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder: folder, sources: Self.sources)
            let (first, second) = (try target.run(), try target.run())
            #expect(first == Set(Self.sources.keys))
            #expect(second == [])
            target.sources[edit[0]]?.replace(edit[1], with: edit[2])
            let ported = try target.run()
            #expect(ported == [edit[0]])
            let (copies, expected) = (try target.copies(), try target.copiesFromNothing())
            #expect(copies == expected)
        }
    }

    @Test("A copy that stays the same is not written")
    func untouched() throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder: folder, sources: Self.sources)
            try target.run()
            let copy = folder.appending(path: "kept/+B.swift")
            let date = Date(timeIntervalSince1970: 1)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: copy.path)
            target.sources["A.swift"]? += "@objc class D: NSManagedObject { @objc var d: Int { 1 } }\n"
            let ported = try target.run()
            #expect(ported == Set(Self.sources.keys))
            let attributes = try FileManager.default.attributesOfItem(atPath: copy.path)
            #expect(attributes[.modificationDate] as? Date == date)
        }
    }

    @Test(
        "A change that other files hear of ports them all",
        arguments: [
            ["A.swift", "a: Int", "b: Int"], ["A.swift", "NSSet", "NSOrderedSet"],
            ["B.swift", "class B", "private class B"], ["C.swift", "{}", "{ call() }"],
            ["B.swift", "print(1)", "os_log(1)"], ["B.swift", "func f", "func wait"],
        ])
    func otherFiles(_ edit: [String]) throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder: folder, sources: Self.sources)
            try target.run()
            target.sources[edit[0]]?.replace(edit[1], with: edit[2])
            let ported = try target.run()
            #expect(ported == Set(Self.sources.keys))
            let (copies, expected) = (try target.copies(), try target.copiesFromNothing())
            #expect(copies == expected)
        }
    }

    @Test("A snapshot that is damaged, of another tool or of other models is ignored")
    func ignoredSnapshots() throws {
        try withTemporaryDirectory { folder in
            var target = Target(folder: folder, sources: Self.sources)
            let all = try target.run()
            func expectAll(_ comment: Comment) throws {
                let (first, second) = (try target.run(), try target.run())
                #expect(first == all, comment)
                #expect(second == [], comment)
            }
            try target.damageSnapshot { $0 = $0.dropLast(1) }
            try expectAll("a byte is missing")
            try target.damageSnapshot { $0 = Data() }
            try expectAll("empty")
            try target.damageSnapshot { $0[0] = UInt8(ascii: "x") }
            try expectAll("a size is no number")
            target.tool = "2"
            try expectAll("another tool")
            target.generated = ["class M: NSManagedObject {}"]
            try expectAll("another model")
            try Data().write(to: folder.appending(path: "kept/Index.swift"))
            try expectAll("another index")
            try FileManager.default.removeItem(at: folder.appending(path: "kept/+C.swift"))
            try expectAll("a copy is missing")
            let (copies, expected) = (try target.copies(), try target.copiesFromNothing())
            #expect(copies == expected)
        }
    }

    private static let lines = [
        "@objc class A: NSManagedObject { @objc var title: String { \"\" } }", "private class N: NSManagedObject {}",
        "@objc(Named) class Other: NSManagedObject {}", "extension A { override func prepare() {} }",
        "var tags: NSSet?", "var tags: Int", "func f() { owner.tags = [a] }", "let k = #keyPath(A.title)",
        "@MainActor class T: XCTestCase {}", "class U: T { func testU() {} }", "import XCTest", "import UIKit",
        "func wait() {}", "func g() { wait(for: [e], timeout: 1) }", "@objc protocol P { @objc optional func p() }",
        "func h() { d?.p?() }", "class M: NSEntityMigrationPolicy { @objc func m() {} }", "let l = Logger()",
        "center.removeObserver(self)", "class Logger {}", "enum E { class A: NSManagedObject {} }", "// a comment",
    ]

    @Test("After random edits, the copies are those of a run from nothing")
    func randomEdits() throws {
        var generator = SeededGenerator()
        try withTemporaryDirectory { folder in
            var target = Target(folder: folder, sources: Self.sources)
            var log: [String] = []
            for _ in 0..<30 {
                let name = ["A.swift", "B.swift", "C.swift", "D.swift"].randomElement(using: &generator) ?? ""
                var lines = target.sources[name, default: ""].split(separator: "\n", omittingEmptySubsequences: false)
                let place = lines.indices.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: lines = []
                case 1..<4 where !lines.isEmpty: lines.remove(at: place)
                default: lines.insert(Self.lines.randomElement(using: &generator)?[...] ?? "", at: place)
                }
                target.sources[name] = lines.isEmpty ? nil : lines.joined(separator: "\n")
                log.append("\(name): \(lines)")
                try target.run()
                let (copies, expected) = (try target.copies(), try target.copiesFromNothing())
                #expect(copies == expected, "\(generator): \(log.suffix(2))")
            }
        }
    }
}
