import FirnModel
import Foundation
import TestSupport
import Testing

/// Models found among the resources of bundles.
@Suite struct BundleTests {
    /// A bundle with two versions of a library, of which the first is current.
    private func withBundle(_ body: (Bundle) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let versions = folder.appending(path: "Library.xcdatamodeld")
            let later = Library()
            later.book.properties += [attribute("year")]
            try write(Library().model, to: versions.appending(path: "Library.xcdatamodel"))
            try write(later.model, to: versions.appending(path: "Library 2.xcdatamodel"))
            let current = try PropertyListSerialization.data(
                fromPropertyList: ["_XCCurrentVersionName": "Library.xcdatamodel"], format: .xml,
                options: 0)
            try current.write(to: versions.appending(path: ".xccurrentversion"))
            try body(try #require(Bundle(url: folder)))
        }
    }

    private func write(_ model: NSManagedObjectModel, to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(model.xcdatamodelContents()).write(to: folder.appending(path: "contents"))
    }

    private var laterModel: NSManagedObjectModel {
        let later = Library()
        later.book.properties += [attribute("year")]
        return later.model
    }

    @Test("The model merged of a bundle is the current version of what is in it")
    func merged() throws {
        try withBundle { bundle in
            let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
            #expect(merged.versionChecksum == Library().model.versionChecksum)
        }
    }

    @Test("The model for a store is the version that the store was written with")
    func forStore() throws {
        try withBundle { bundle in
            let metadata = [
                NSStoreModelVersionHashesKey: laterModel.entityVersionHashesByName as Any
            ]
            let found = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
            #expect(found?.versionChecksum == laterModel.versionChecksum)
        }
    }

    @Test("A store of a version that is not there has no model")
    func unknownStore() throws {
        try withBundle { bundle in
            let metadata = [NSStoreModelVersionHashesKey: ["Book": Data([1])] as Any]
            #expect(
                NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata) == nil)
        }
    }

    @Test("A reference finds a version by its name, and by its hashes")
    func references() throws {
        try withBundle { bundle in
            let checksum = laterModel.versionChecksum
            let byName = NSManagedObjectModelReference(
                name: "Library 2", in: bundle, versionChecksum: checksum)
            #expect(byName.resolvedModel.versionChecksum == checksum)
            let byHashes = NSManagedObjectModelReference(
                entityVersionHashes: laterModel.entityVersionHashesByName, in: bundle,
                versionChecksum: checksum)
            #expect(byHashes.resolvedModel.versionChecksum == checksum)
        }
    }

    @Test("A reference to a model with another checksum is an error")
    func wrongChecksum() throws {
        let reference = NSManagedObjectModelReference(
            model: Library().model, versionChecksum: laterModel.versionChecksum)
        #expect(throws: ModelFileError.self) { try reference.resolve() }
    }

    @Test(
        "Without a file that names the current version the last one is taken, counted as people count"
    )
    func last() throws {
        try withTemporaryDirectory { folder in
            for name in ["M 9", "M 10", "M"] {
                try write(Library().model, to: folder.appending(path: name + ".xcdatamodel"))
            }
            let bundle = try ModelBundle(contentsOf: folder)
            #expect(bundle.versions.map(\.name) == ["M", "M 9", "M 10"])
            #expect(bundle.current.name == "M 10")
        }
    }

    @Test("A folder without versions is an error that names it")
    func empty() throws {
        try withTemporaryDirectory { folder in
            let error = #expect(throws: ModelFileError.self) { try ModelBundle(contentsOf: folder) }
            #expect(error?.issues.map(\.file) == [folder.path])
        }
    }
}
