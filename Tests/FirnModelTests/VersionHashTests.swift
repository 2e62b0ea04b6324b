import FirnModel
import Foundation
import TestSupport
import Testing

/// Section (g) of the semantics: what enters a version hash.
@Suite struct VersionHashTests {
    /// The hash of the book of a library after a change, which the hashes that were asked before must not hide.
    private func hash(after change: (Library) -> Void = { _ in }) -> Data {
        let library = Library()
        _ = library.model.entityVersionHashesByName
        change(library)
        return library.book.versionHash
    }

    @Test("A hash has 32 bytes, and is the same for equal entities")
    func stable() {
        #expect(hash().count == 32)
        #expect(hash() == hash())
    }

    @Test("What a store holds enters the hash")
    func enters() {
        let changes: [(String, (Library) -> Void)] = [
            ("name", { $0.book.name = "Volume" }),
            ("abstract", { $0.book.isAbstract = true }),
            ("entity's modifier", { $0.book.versionHashModifier = "2" }),
            ("constraint", { $0.book.uniquenessConstraints = [["title"]] }),
            ("new property", { $0.book.properties += [attribute("year")] }),
            ("property's name", { $0.book.attributesByName["title"]?.name = "heading" }),
            (
                "property's modifier",
                { $0.book.attributesByName["title"]?.versionHashModifier = "2" }
            ),
            ("optional", { $0.book.attributesByName["title"]?.isOptional = false }),
            ("transient", { $0.book.attributesByName["title"]?.isTransient = true }),
            (
                "type",
                { $0.book.attributesByName["pages"]?.attributeType = .integer64AttributeType }
            ),
            ("destination's name", { $0.author.name = "Writer" }),
            ("inverse's name", { $0.author.relationshipsByName["books"]?.name = "works" }),
            ("inverse", { $0.book.relationshipsByName["writer"]?.inverseRelationship = nil }),
            ("maximum", { $0.book.relationshipsByName["writer"]?.maxCount = 0 }),
            ("minimum", { $0.book.relationshipsByName["fans"]?.minCount = 1 }),
            ("order", { $0.book.relationshipsByName["fans"]?.isOrdered = true }),
        ]
        for (name, change) in changes { #expect(hash(after: change) != hash(), "\(name)") }
    }

    @Test("What a store does not hold stays out of the hash")
    func staysOut() {
        let changes: [(String, (Library) -> Void)] = [
            ("class", { $0.book.managedObjectClassName = "Volume" }),
            ("user info", { $0.book.userInfo = ["a": "b"] }),
            ("renaming identifier", { $0.book.renamingIdentifier = "Tome" }),
            ("default", { $0.book.attributesByName["pages"]?.defaultValue = 2 }),
            ("transformer", { $0.book.attributesByName["title"]?.valueTransformerName = "T" }),
            (
                "delete rule",
                { $0.book.relationshipsByName["writer"]?.deleteRule = .cascadeDeleteRule }
            ),
            ("compound index", { $0.book.compoundIndexes = [["title"]] }),
            ("indexed", { $0.book.attributesByName["title"]?.isIndexed = true }),
            (
                "index",
                { library in
                    guard let title = library.book.attributesByName["title"] else { return }
                    let element = NSFetchIndexElementDescription(
                        property: title, collationType: .binary)
                    library.book.indexes = [NSFetchIndexDescription(name: "i", elements: [element])]
                }
            ),
            ("a subentity's property", { $0.novel.properties += [attribute("length")] }),
            ("the destination's property", { $0.author.properties += [attribute("born")] }),
        ]
        for (name, change) in changes { #expect(hash(after: change) == hash(), "\(name)") }
    }

    @Test("A model computes its hashes once, until something in it changes")
    func computedOnce() throws {
        final class Counting: NSAttributeDescription {
            nonisolated(unsafe) var count = 0
            override var versionHash: Data {
                count += 1
                return super.versionHash
            }
        }
        let library = Library()
        let counting = Counting()
        counting.name = "year"
        counting.attributeType = .integer16AttributeType
        library.author.properties += [counting]
        let metadata: [String: Any] = [NSStoreModelVersionHashesKey: library.model.entityVersionHashesByName]
        for _ in 0..<10 {
            #expect(library.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            _ = (library.model.versionChecksum, library.novel.versionHash)
        }
        #expect(counting.count == 1)
        library.novel.isAbstract = true
        #expect(!library.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(counting.count == 2)
    }

    @Test("An element of a composite, and an entity's place, change hashes that were asked before")
    func distantChanges() {
        let composite = NSCompositeAttributeDescription()
        composite.name = "address"
        composite.elements = [attribute("street")]
        let library = Library()
        library.book.properties += [composite]
        let first = library.model.entityVersionHashesByName
        composite.elements[0].isOptional = false
        let second = library.model.entityVersionHashesByName
        #expect(second["Book"] != first["Book"] && second["Novel"] != first["Novel"])
        library.book.subentities = []
        let third = library.novel.versionHash
        #expect(third != second["Novel"])
        library.author.subentities = [library.novel]
        #expect(library.novel.versionHash != third && library.novel.versionHash != second["Novel"])
    }

    @Test("A change above changes the hash below")
    func inherited() {
        let (one, two) = (Library(), Library())
        two.book.properties += [attribute("year")]
        #expect(one.novel.versionHash != two.novel.versionHash)
    }

    @Test("A store with a model's hashes is compatible with it, and with no other")
    func compatible() {
        let library = Library()
        let metadata = [
            NSStoreModelVersionHashesKey: library.model.entityVersionHashesByName as Any
        ]
        #expect(library.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(
            !library.model.isConfiguration(withName: "Other", compatibleWithStoreMetadata: metadata)
        )
        let later = Library()
        later.book.properties += [attribute("year")]
        #expect(!later.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    @Test("A configuration is compatible with a store of its entities alone")
    func configuration() {
        let library = Library()
        library.model.setEntities([library.author], forConfigurationName: "People")
        let metadata = [NSStoreModelVersionHashesKey: ["Author": library.author.versionHash] as Any]
        #expect(
            library.model.isConfiguration(withName: "People", compatibleWithStoreMetadata: metadata)
        )
        #expect(
            !library.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    @Test("A store of all entities, which a migration makes, is compatible with each configuration")
    func migratedConfiguration() {
        let library = Library()
        library.model.setEntities([library.author], forConfigurationName: "People")
        var hashes = library.model.entityVersionHashesByName
        var metadata = [NSStoreModelVersionHashesKey: hashes as Any]
        #expect(library.model.isConfiguration(withName: "People", compatibleWithStoreMetadata: metadata))
        hashes["Book"] = Data()
        metadata = [NSStoreModelVersionHashesKey: hashes as Any]
        #expect(!library.model.isConfiguration(withName: "People", compatibleWithStoreMetadata: metadata))
    }

    /// An entity with Apple's hash and ours.
    private struct Hashed {
        let place: String
        let name: String
        let apple: String
        let ours: Data
    }

    @Test(
        "Ours are equal where Apple's are, and differ where Apple's differ: stores and compiled models",
        .needsCorpus)
    func apple() throws {
        var hashed: [Hashed] = []
        for (store, hashes) in AppleVersionHashes.byStore {
            let model = try CachedModel.load(Corpus.url(store + ".model.json"))
            for (name, entity) in model.entitiesByName {
                let apple = try #require(hashes[name], "\(store) \(name)")
                hashed.append(
                    Hashed(place: store, name: name, apple: apple, ours: entity.versionHash))
            }
        }
        for bundle in ["SampleModel", "SampleModel3"] { hashed += try compiled(bundle) }
        #expect(hashed.count > 60)
        for one in hashed {
            for two in hashed where one.name == two.name {
                #expect(
                    (one.apple == two.apple) == (one.ours == two.ours),
                    "\(one.name): \(one.place), \(two.place)")
            }
        }
    }

    /// The source models of a compiled bundle, with the hashes that Xcode wrote into its `VersionInfo.plist`.
    private func compiled(_ name: String) throws -> [Hashed] {
        let url = Corpus.url("compiled/alemar11__CoreDataPlus/\(name).momd/VersionInfo.plist")
        let plist = try PropertyListSerialization.propertyList(
            from: try Data(contentsOf: url), format: nil)
        let hashes =
            (plist as? [String: Any])?["NSManagedObjectModel_VersionHashes"]
            as? [String: [String: Data]]
        let bundle = try ModelBundle(
            contentsOf: Corpus.url("models/alemar11__CoreDataPlus/\(name).xcdatamodeld"))
        return try bundle.versions.flatMap { version in
            let model = try NSManagedObjectModel.load(contentsOf: version.url).model
            return try model.entities.map { entity in
                let apple = try #require(hashes?[version.name]?[entity.name ?? ""])
                let text = apple.prefix(4).map { byte in
                    String(UInt16(byte) + 256, radix: 16).dropFirst()
                }
                return Hashed(
                    place: version.name, name: entity.name ?? "", apple: text.joined(),
                    ours: entity.versionHash)
            }
        }
    }
}
