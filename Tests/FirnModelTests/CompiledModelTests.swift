import FirnModel
import Foundation
import ModelGeneration
import TestSupport
import Testing

/// Models that Xcode compiled, beside the files that it compiled them from.
@Suite(.needsCorpus) struct CompiledModelTests {
    static let names = ["SampleModel", "SampleModel3"]

    private func bundles(_ name: String) throws -> (compiled: ModelBundle, source: ModelBundle) {
        (
            try ModelBundle(contentsOf: Corpus.url("compiled/alemar11__CoreDataPlus/\(name).momd")),
            try ModelBundle(
                contentsOf: Corpus.url("models/alemar11__CoreDataPlus/\(name).xcdatamodeld"))
        )
    }

    @Test("A compiled model is equal to its source", arguments: names)
    func equal(name: String) throws {
        let (compiled, source) = try bundles(name)
        for version in compiled.versions {
            let file = try #require(source.versions.first { $0.name == version.name })
            let expected = try NSManagedObjectModel.load(contentsOf: file.url).model
            let loaded = try NSManagedObjectModel.load(contentsOf: version.url)
            #expect(loaded.warnings.map(\.description) == [])
            #expect(
                expected.differences(to: loaded.model).map(\.description) == [], "\(version.name)")
            #expect(expected.versionChecksum == loaded.model.versionChecksum, "\(version.name)")
        }
    }

    @Test("A .momd opens as the version that its VersionInfo names")
    func current() throws {
        let bundle = try bundles("SampleModel3").compiled
        #expect(
            bundle.versions.map(\.name) == ["SampleModel3", "SampleModel3_v2", "SampleModel3_v3"])
        #expect(bundle.current.name == "SampleModel3")
    }

    @Test("A bundle compiled by us opens as the version that was current, and holds all of them")
    func ours() throws {
        let source = try bundles("SampleModel3").source
        try withTemporaryDirectory { folder in
            let momd = folder.appending(path: "SampleModel3.momd")
            #expect(try CompiledModelBundle.write(source, to: momd) == [])
            let compiled = try ModelBundle(contentsOf: momd)
            #expect(compiled.versions.map(\.name) == source.versions.map(\.name))
            #expect(compiled.current.name == source.current.name)
            let model = try #require(NSManagedObjectModel(contentsOf: momd))
            let expected = try #require(NSManagedObjectModel(contentsOf: source.url))
            #expect(expected.differences(to: model) == [])
        }
    }

    @Test("Every truncation of a compiled model is an error, none a crash")
    func truncated() throws {
        let url = try bundles("SampleModel3").compiled.versions[0].url
        let bytes = [UInt8](try Data(contentsOf: url))
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: ModelFileError.self, "\(count) bytes") {
                try NSManagedObjectModel.load(document: Array(bytes.prefix(count)), name: "M")
            }
        }
    }

    @Test("A compiled model with a flipped byte loads or is an error, and never crashes")
    func flipped() throws {
        let url = try bundles("SampleModel").compiled.versions[1].url
        let bytes = [UInt8](try Data(contentsOf: url))
        var generator = SeededGenerator()
        for _ in 0..<400 {
            var damaged = bytes
            damaged[Int.random(in: damaged.indices, using: &generator)] ^= UInt8.random(
                in: 1...255, using: &generator)
            _ = try? NSManagedObjectModel.load(document: damaged, name: "M")
        }
    }
}
