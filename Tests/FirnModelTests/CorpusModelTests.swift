import FirnModel
import Foundation
import TestSupport
import Testing

/// Models of real applications.
@Suite(.needsCorpus) struct CorpusModelTests {
    /// Every version in the corpus, as folders.
    static var versions: [URL] {
        get throws {
            try Corpus.urls(below: "models", withExtension: "xcdatamodeld")
                .flatMap { try ModelBundle(contentsOf: $0).versions.map(\.url) }
        }
    }

    @Test("Every model loads without a warning")
    func load() throws {
        for url in try Self.versions {
            let loaded = try NSManagedObjectModel.load(contentsOf: url)
            #expect(loaded.warnings.isEmpty, "\(loaded.warnings.map(\.description))")
            #expect(!loaded.model.entities.isEmpty, "\(url.path)")
        }
    }

    @Test("Every model bundle names a current version, and its bundle loads as that version")
    func current() throws {
        for url in Corpus.urls(below: "models", withExtension: "xcdatamodeld") {
            let current = try ModelBundle(contentsOf: url).current
            let version = try NSManagedObjectModel.load(contentsOf: current.url).model
            let bundle = try #require(NSManagedObjectModel(contentsOf: url))
            #expect(bundle.versionChecksum == version.versionChecksum, "\(url.path)")
        }
    }

    @Test("Every model is laid out with a slot for every property")
    func layout() throws {
        for url in try Self.versions {
            let model = try NSManagedObjectModel.load(contentsOf: url).model
            model.freeze()
            for entity in model.entities {
                for name in entity.propertiesByName.keys {
                    #expect(
                        entity.layout.slot(named: name) != nil,
                        "\(url.path) \(entity.name ?? "").\(name)")
                }
            }
        }
    }

    @Test("Writing what was read and reading it again gives an equal model")
    func roundTrip() throws {
        for url in try Self.versions {
            let model = try NSManagedObjectModel.load(contentsOf: url).model
            let document = model.xcdatamodelContents(includingEditorInfo: true)
            let again = try NSManagedObjectModel.load(document: document, name: "(written)").model
            #expect(model.differences(to: again).map(\.description) == [], "\(url.path)")
            #expect(again.xcdatamodelContents(includingEditorInfo: true) == document, "\(url.path)")
        }
    }
}
