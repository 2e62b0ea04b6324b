import FirnLog
import Foundation
import TestSupport
import Testing

/// The tool trims and erases on real files, and is killed at random moments.
@Suite("Trimming and erasing in a process that is killed")
struct KilledUpkeepTests {
    private static let secret = "xyzzy-nobody-may-know"
    private let firn = BuiltProgram("firn")
    private let store: SampleStore

    /// Many saves, every tenth of which has the secret.
    init() throws {
        store = try SampleStore()
        for key in 3...400 as ClosedRange<Int64> {
            let name = key % 10 == 0 ? Self.secret + String(repeating: " \(key)", count: 50) : "person \(key)"
            try store.append(.changes(SampleStore.insert(key, name: name, friend: nil)))
        }
    }

    /// Starts the tool, and kills it when something in the log's folder has changed so often.
    private func kill(atChange number: UInt64, _ arguments: String...) throws {
        let watch = try PosixFileSystem().watch(store.log.directory)
        let process = firn.process(arguments)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { _ in watch.cancel() }
        try process.run()
        for _ in 0..<number { if try !watch.wait() { break } }
        if process.isRunning { process.killGroup() }
        process.waitUntilExit()
    }

    private func traces() throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: store.folder.path)
        return try names.filter { name in
            var isFolder: ObjCBool = false
            let path = store.folder.file(name).path
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            return try !isFolder.boolValue && Data(contentsOf: URL(fileURLWithPath: path)).range(
                of: Data(Self.secret.utf8)) != nil
        }
    }

    @Test("leaves a sound store, in which it can be done again to the end")
    func kills() throws {
        var random = SeededGenerator()
        _ = try firn.run("rebuild", store.path)
        for round in 1...12 {
            let key = 10 * round
            try kill(atChange: random.next() % 12, "erase", store.path, "Person/\(key)")
            #expect(try firn.run("verify", store.path).status == 0, "erase of \(key), seed \(random.seed)")
            try kill(atChange: random.next() % 12, "trim", "--keep", "\(400 - 20 * round)", store.path)
            #expect(try firn.run("verify", store.path).status == 0, "trim \(round), seed \(random.seed)")
        }
        for key in stride(from: 10, through: 400, by: 10) {
            let result = try firn.run("erase", store.path, "Person/\(key)")
            #expect(result.status == 0, "\(result.complaints), seed \(random.seed)")
        }
        let left = try traces()
        #expect(left == [])
        #expect(try firn.run("verify", store.path).output.contains("tables: equal to a rebuild"))
    }

    @Test("takes along, when it erases, the tables and the unfinished files that a killed one left")
    func leftovers() throws {
        _ = try firn.run("rebuild", store.path)
        let tables = [".state", ".state-wal", ".state.rebuild", ".rebuild"].map { store.path + $0 }
        let left = tables + ["/baseline.tmp", "/next.tmp", "/erasure.tmp"].map { store.log.directory + $0 }
        for path in left { try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: path)) }
        #expect(try firn.run("erase", store.path, "Person/10").status == 0)
        #expect(left.filter(FileManager.default.fileExists) == [])
    }
}
