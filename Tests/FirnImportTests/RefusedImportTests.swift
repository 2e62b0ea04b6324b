import Firn
import FirnImport
import FirnModel
import Foundation
import TestSupport
import Testing

/// Imports that cannot be. None leaves anything.
@Suite("An import is refused")
struct RefusedImportTests {
    private let old: OldStore

    init() throws {
        old = try OldStore()
        try old.addExternal("FILE", Data([1]))
    }

    /// The error, and that the folder is as it was.
    private func refusal(
        of source: URL? = nil, model: URL? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AppleStoreError? {
        let before = try names()
        let work = AppleStoreImport(from: source ?? old.url, to: old.target, modelURL: model ?? old.modelURL)
        let error = #expect(throws: AppleStoreError.self, sourceLocation: sourceLocation) { try work.run() }
        #expect(try names() == before, sourceLocation: sourceLocation)
        return error
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: old.directory.path))
    }

    @Test("of a store that is not there, a text, another database")
    func noStore() throws {
        #expect(try refusal(of: old.directory.file("Nothing.sqlite"))?.code == .unreadable)
        let text = old.directory.file("Text.sqlite")
        try Data("no store".utf8).write(to: text)
        #expect(try refusal(of: text)?.code == .notAStore)
        let other = try OtherDatabase.make(in: old.directory)
        #expect(try refusal(of: other)?.code == .notAStore)
    }

    @Test("of a store that was cut off, wherever")
    func truncated() throws {
        let whole = try Data(contentsOf: old.url)
        let cut = old.directory.file("Cut.sqlite")
        for pages in 0..<whole.count / 4096 {
            for size in [pages * 4096, pages * 4096 + 100] {
                try whole.prefix(size).write(to: cut)
                let error = try refusal(of: cut)
                #expect([.damaged, .notAStore, .unreadable].contains(error?.code), "\(size)")
            }
        }
    }

    @Test("with a model that lacks an entity, or a property's column")
    func wrongModel() throws {
        let model = old.directory.file("Other.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        func write(_ text: String) throws { try Data(text.utf8).write(to: model.appending(path: "contents")) }
        try write(OldStore.model.replacing("name=\"label\"", with: "name=\"colour\""))
        let missing = try refusal(model: model)
        #expect(missing?.code == .wrongModel)
        #expect(missing?.message.contains("Tag.colour") == true)
        try write("<model><entity name=\"Folder\"/></model>")
        #expect(try refusal(model: model)?.code == .wrongModel)
    }

    @Test("without a model, where the store carries none")
    func noModel() throws {
        let before = try names()
        let work = AppleStoreImport(from: old.url, to: old.target)
        let error = #expect(throws: AppleStoreError.self) { try work.run() }
        #expect(error?.code == .noModel)
        #expect(try names() == before)
    }

    @Test("into a place where something is")
    func occupied() throws {
        try Data().write(to: old.target)
        #expect(try refusal()?.code == .destinationExists)
    }

    @Test("when its progress throws")
    func cancelled() throws {
        struct Enough: Error {}
        let before = try names()
        var work = AppleStoreImport(from: old.url, to: old.target, modelURL: old.modelURL)
        work.progress = { _ in throw Enough() }
        #expect(throws: Enough.self) { try work.run() }
        #expect(try names() == before)
    }

    @Test("and what a killed one left is removed by the next")
    func leftovers() throws {
        // No process has this number: https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html (pid_max)
        let left = old.directory.file(".New.sqlite.importing-4194305-1")
        try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
        _ = try AppleStoreImport(from: old.url, to: old.target, modelURL: old.modelURL).run()
        #expect(try names().filter { $0.contains("importing") } == [])
    }
}
