import Foundation
import SwiftData
import Testing

/// Stores a text backwards.
final class ReversingTransformer: ValueTransformer {
    static let name = "Reversing"

    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? Label).map { Data(String($0.text.reversed()).utf8) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { Label(text: String(String(decoding: $0, as: UTF8.self).reversed())) }
    }
}

/// A class that is neither Codable nor a model.
final class Label: NSObject, @unchecked Sendable {
    let text: String

    init(text: String) { self.text = text }
}

@Model
final class Crate {
    var name: String
    @Attribute(.transformable(by: ReversingTransformer.self)) var label: Label?
    @Attribute(.transformable(by: "Reversing")) var back: Label?
    @Attribute(.transformable(by: "Reversing")) var tag: Label? = Label(text: "new")
    @Attribute(.ephemeral) var scratch: Int = 3
    @Attribute(.ephemeral) var hint: String? = "new"
    @Attribute(.externalStorage) var picture: Data?
    @Attribute(.preserveValueOnDeletion) var code: String = ""
    var lost: String = ""
    @Relationship(deleteRule: .deny, inverse: \Lid.crate) var lids: [Lid] = []
    @Relationship(deleteRule: .noAction, inverse: \Tape.crate) var tapes: [Tape] = []
    @Relationship(minimumModelCount: 1, maximumModelCount: 2, inverse: \Nail.crate) var nails: [Nail] = []

    init(name: String) { self.name = name }
}

@Model
final class Lid {
    var crate: Crate?
    init() {}
}

@Model
final class Tape {
    var width: Int
    var crate: Crate?
    init(width: Int) { self.width = width }
}

@Model
final class Nail {
    var crate: Crate?
    init() {}
}

@Suite("Options of attributes and relationships", .serialized)
final class AttributeOptionTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: folder) }

    init() {
        for name in ["Reversing", "ReversingTransformer"] {
            ValueTransformer.setValueTransformer(ReversingTransformer(), forName: .init(name))
        }
    }

    private func open() throws -> ModelContext {
        let store = ModelConfiguration(url: folder.appendingPathComponent("Crates.store"))
        return ModelContext(try ModelContainer(for: Crate.self, configurations: store))
    }

    private func crate(_ name: String, nails: Int = 1) -> Crate {
        let crate = Crate(name: name)
        crate.nails = (0..<nails).map { _ in Nail() }
        return crate
    }

    private func found(_ context: ModelContext) throws -> Crate {
        try #require(try context.fetch(FetchDescriptor<Crate>()).first)
    }

    @Test("a transformer stores values, by its type or its name")
    func transformable() throws {
        let context = try open()
        let crate = crate("A")
        (crate.label, crate.back) = (Label(text: "abc"), Label(text: "xyz"))
        context.insert(crate)
        try context.save()
        let same = try found(open())
        #expect(same.label?.text == "abc")
        #expect(same.back?.text == "xyz")
        same.label = nil
        #expect(same.label == nil)
    }

    @Test("a transformable value with a default can be nil")
    func transformableDefault() throws {
        let context = try open()
        let crate = crate("A")
        #expect(crate.tag?.text == "new")
        crate.tag = nil
        #expect(crate.tag == nil)
        context.insert(crate)
        #expect(crate.tag == nil)
        try context.save()
        #expect(try found(open()).tag == nil)
    }

    @Test("a transformer that is not registered is named when the container is made")
    func unregistered() throws {
        ValueTransformer.setValueTransformer(nil, forName: .init("Reversing"))
        do {
            _ = try open()
            Issue.record("the container was made")
        } catch let error as SwiftDataError {
            #expect(error == .loadIssueModelContainer)
            #expect(error.message.contains("Crate.back"))
        }
    }

    @Test("an ephemeral value is tracked and not stored, and no predicate can ask for it")
    func ephemeral() throws {
        let context = try open()
        let crate = crate("A")
        context.insert(crate)
        try context.save()
        crate.scratch = 9
        #expect(context.hasChanges)
        #expect(crate.scratch == 9)
        try context.save()
        let scratch = try found(open()).scratch
        #expect(scratch == 3)
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Crate>(predicate: #Predicate { $0.scratch == 9 }))
        }
    }

    @Test("an ephemeral value with a default can be nil, before a save and after it")
    func ephemeralNil() throws {
        let context = try open()
        let (crate, other) = (crate("A"), crate("B"))
        #expect(crate.hint == "new")
        crate.hint = nil
        #expect(crate.hint == nil)
        for crate in [crate, other] { context.insert(crate) }
        #expect(crate.hint == nil && other.hint == "new")
        try context.save()
        #expect(crate.hint == nil && other.hint == "new")
        other.hint = nil
        #expect(other.hint == nil)
        context.rollback()
        let same = try found(open())
        #expect(same.hint == "new")
        same.hint = nil
        #expect(same.hint == nil)
    }

    @Test("large data lies in a file next to the store, and comes back")
    func externalStorage() throws {
        let context = try open()
        let crate = crate("A")
        var random = SeededNumbers(seed: 1)
        let picture = Data((0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        crate.picture = picture
        context.insert(crate)
        try context.save()
        #expect(try found(open()).picture == picture)
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        let sizes = files.compactMap { name in
            (name as? String).flatMap {
                try? FileManager.default.attributesOfItem(atPath: folder.path + "/" + $0)[.size] as? Int
            }
        }
        #expect(sizes.contains(300_000))
        let database = try FileManager.default.attributesOfItem(atPath: folder.path + "/Crates.store")[.size] as? Int
        #expect(database.map { $0 < 300_000 } == true)
    }

    @Test("the history of a deletion has the values that are preserved, and no others")
    func preserved() throws {
        let context = try open()
        let crate = crate("A")
        (crate.code, crate.lost) = ("K1", "L1")
        context.insert(crate)
        try context.save()
        context.delete(crate)
        try context.save()
        let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        let tombstones = last.changes.compactMap { change -> HistoryTombstone<Crate>? in
            guard case .delete(let delete as DefaultHistoryDelete<Crate>) = change else { return nil }
            return delete.tombstone
        }
        #expect(tombstones.first?[\.code] as? String == "K1")
        #expect(tombstones.first?[\.lost] == nil)
    }

    @Test("a relationship has a least and a greatest count, checked at the save")
    func counts() throws {
        let context = try open()
        let (few, enough, many) = (crate("0", nails: 0), crate("2", nails: 2), crate("3", nails: 3))
        context.insert(few)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        context.delete(few)
        context.insert(many)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        many.nails.removeLast()
        context.insert(enough)
        try context.save()
        #expect(try open().fetchCount(FetchDescriptor<Crate>()) == 2)
    }

    @Test("a model cannot be deleted while a relationship that denies it has models")
    func deny() throws {
        let context = try open()
        let crate = crate("A"), lid = Lid()
        crate.lids = [lid]
        context.insert(crate)
        try context.save()
        context.delete(crate)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        context.rollback()
        #expect(try open().fetchCount(FetchDescriptor<Crate>()) == 1)
        crate.lids = []
        context.delete(crate)
        try context.save()
        #expect(try open().fetchCount(FetchDescriptor<Crate>()) == 0)
        #expect(try open().fetchCount(FetchDescriptor<Lid>()) == 1)
    }

    @Test("a relationship without action leaves the other models as they are")
    func noAction() throws {
        let context = try open()
        let crate = crate("A"), tape = Tape(width: 5)
        crate.tapes = [tape]
        context.insert(crate)
        try context.save()
        context.delete(crate)
        try context.save()
        let left = try open()
        let same = try #require(try left.fetch(FetchDescriptor<Tape>()).first)
        #expect(same.width == 5)
        // What it led to is gone: it reads as nil, and predicates see it so.
        #expect(same.crate == nil)
        #expect(try left.fetchCount(FetchDescriptor<Tape>(predicate: #Predicate { $0.crate?.name == "A" })) == 0)
    }
}
