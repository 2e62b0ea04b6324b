import Firn
import FirnImport
import FirnModel
import FirnSQLite
import Foundation
import TestSupport
import Testing

/// Every store of the corpus, which Apple's tools wrote, against what SQL says is in it.
@Suite("Stores that Apple wrote", .needsCorpus)
struct CorpusImportTests {
    private static let stores =
        Corpus.isPresent
        ? (Corpus.urls(below: "stores", withExtension: "sqlite") + Corpus.urls(below: "stores", withExtension: "moody"))
        : []

    @Test("come over as SQL says they are", arguments: stores)
    func whole(_ original: URL) throws {
        let place = try TemporaryDirectory()
        let target = place.file("Imported.sqlite")
        let report = try AppleStoreImport(from: original, to: target).run()
        let imported = try ImportedStore(target)
        let expected = try SQLReading(of: original, in: place.file("copy"), model: imported.model)
        #expect(imported.identifier == expected.identifier)
        #expect(report.notes == [])
        #expect(report.objectCounts.values.reduce(0, +) == expected.objects.count)
        let found = try imported.objects()
        #expect(Set(found.keys) == Set(expected.objects.keys))
        for (name, values) in expected.objects {
            for (property, value) in values {
                #expect(found[name]?[property] == value, "\(name) \(property)")
            }
        }
    }

    @Test("leave the original as it is", arguments: stores)
    func original(_ original: URL) throws {
        let place = try TemporaryDirectory()
        let folder = original.deletingLastPathComponent()
        let before = try Self.contents(of: folder)
        _ = try AppleStoreImport(from: original, to: place.file("Imported.sqlite")).run()
        #expect(try Self.contents(of: folder) == before)
    }

    private static func contents(of folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let contents = try names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) }
        return Dictionary(uniqueKeysWithValues: contents)
    }
}
