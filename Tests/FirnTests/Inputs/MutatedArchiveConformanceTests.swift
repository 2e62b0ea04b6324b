import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// Archives that programs keep and read again, in which values were changed: tokens, requests, models.
///
/// The list of the archive stays one: what Foundation's unarchiver does with bytes that are none is Foundation's.
@Suite("Mutated archives")
struct MutatedArchiveConformanceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        try LibraryObjects.save(in: coordinator)
    }

    /// Changes the values that the archived object wrote: the names of its keys and the archive's references stay.
    private func check<Object: NSObject & NSSecureCoding>(
        _ kind: String, _ object: Object, _ use: (Object) throws -> Void
    ) throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.outputFormat = .xml
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        let text = String(decoding: archiver.encodedData, as: UTF8.self)
        var mutations = Mutations(kind)
        let silent = mutations.run { mutations in
            let data = Data(Self.mutated(text, &mutations).utf8)
            mutations.keep([UInt8](data))
            guard let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data) else {
                throw CocoaError(.coderReadCorrupt)
            }
            try use(read)
        }
        #expect(silent == [])
    }

    /// Other numbers and texts in place of one or two of those that are neither references nor names of classes.
    private static func mutated(_ text: String, _ mutations: inout Mutations) -> String {
        let values = ["0", "-1", "1", "7", "255", "9223372036854775807", "-9223372036854775808", "4294967296"]
        var text = text
        for _ in 0...mutations.random(in: 0...1) {
            let numbers = text.ranges(of: /<integer>-?\d+<\/integer>/).filter { range in
                !text[..<range.lowerBound].suffix(60).contains("CF$UID")
            }
            let strings = text.ranges(of: /<string>[^<$]*<\/string>/).filter { range in
                !text[range].contains("NS") && !text[range].contains("Firn")
            }
            let ranges = (numbers + strings).filter { !text[..<$0.lowerBound].suffix(60).contains("$version") }
            guard !ranges.isEmpty else { continue }
            let range = mutations.element(of: ranges)
            if text[range].hasPrefix("<integer>") {
                text.replaceSubrange(range, with: "<integer>\(mutations.element(of: values))</integer>")
            } else {
                let old = Array(text[range].dropFirst(8).dropLast(9).utf8)
                let new = String(decoding: mutations.mutated(old.isEmpty ? [65] : old), as: UTF8.self)
                let plain = new.filter { $0.isLetter || $0.isNumber || " .-:@$()'=*".contains($0) }
                text.replaceSubrange(range, with: "<string>\(plain)</string>")
            }
        }
        return text
    }

    @Test("m.15 a history token with other values is refused or gives history, and never crashes")
    func historyTokens() throws {
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        let context = coordinator.context()
        try check("history token", token) { token in
            _ = (token.hash, token.description, token.transactionNumbers)
            _ = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        }
    }

    @Test("m.15 a query generation with other values is refused or gives a state, and never crashes")
    func queryGenerations() throws {
        let context = coordinator.context()
        try context.setQueryGenerationFrom(.current)
        _ = try context.all("Author")
        let token = try #require(context.queryGenerationToken)
        try check("query generation", token) { token in
            let other = coordinator.context()
            try other.setQueryGenerationFrom(token)
            _ = try other.all("Author")
        }
    }

    @Test("m.15 an archived fetch request with other values is refused or fetches, and never crashes")
    func requests() throws {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        request.predicate = NSPredicate(format: "name BEGINSWITH 'E' AND age > 3")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.propertiesToFetch = ["name", "age"]
        request.relationshipKeyPathsForPrefetching = ["books"]
        request.fetchLimit = 3
        let context = coordinator.context()
        try check("fetch request", request as UntypedFetchRequest) { request in
            guard request.withResultType(NSManagedObject.self).entityName == "Author" else { return }
            _ = request.description
        }
        withExtendedLifetime(context) {}
    }

    @Test("m.15 an archived model with other values is refused or opens a store, and never crashes")
    func models() throws {
        try check("archived descriptions", Library.model()) { try FirstUse.open($0) }
    }

    @Test("m.15 a transformable attribute's dictionary with a key that is not there is nil")
    func missingKey() throws {
        let transformer = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        let value: NSDictionary = ["a": 1, "b": 2]
        let data = try #require(transformer.reverseTransformedValue(value) as? Data)
        let sound = try #require(transformer.transformedValue(data) as? NSDictionary)
        #expect(sound == value)
        // The text of a key becomes what stands for nil.
        let builder = ArchiveBuilder()
        let null = ArchiveBuilder.Node.reference(0)
        let list = builder.object("NSDictionary", [
            ("NS.keys", .array([null, builder.text("b")])),
            ("NS.objects", .array([builder.text("x"), builder.text("y")])),
        ])
        #expect(transformer.transformedValue(Data(builder.binary(list))) == nil)
    }

    @Test("m.15 mutations of a transformable attribute's data are nil or a value, and never crash", arguments: [
        NSValueTransformerName.secureUnarchiveFromDataTransformerName,
        NSValueTransformerName("NSKeyedUnarchiveFromData"),
    ])
    func transformables(_ name: NSValueTransformerName) throws {
        let transformer = try #require(ValueTransformer(forName: name))
        let value: NSDictionary = [
            "a": [1, 2.5, "x"], "b": Data([1]), "d": Date(timeIntervalSinceReferenceDate: 1),
            "l": try #require(NSURL(string: "a:b")),
            "m": NSMutableString("y"), "n": NSNull(), "s": NSSet(array: ["z"]), "u": NSUUID(),
        ]
        let data = try #require(transformer.reverseTransformedValue(value) as? Data)
        #expect(transformer.transformedValue(data) as? NSDictionary == value)
        var mutations = Mutations("transformable \(name.rawValue)")
        let silent = mutations.run([[UInt8](data)]) { bytes in
            guard transformer.transformedValue(Data(bytes)) != nil else { throw CocoaError(.coderReadCorrupt) }
        }
        #expect(silent == [])
    }
}
