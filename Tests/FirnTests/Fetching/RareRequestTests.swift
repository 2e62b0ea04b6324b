import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Requests that are rare")
struct RareRequestTests {
    /// The templates are kept by Swift's equality of strings, which is that of all normal forms.
    @Test("a format is not taken for one that is written with other units")
    func units() {
        let (composed, decomposed) = ("name == '\u{e9}' AND age > %d", "name == 'e\u{301}' AND age > %d")
        for _ in 0..<3 { _ = NSPredicate(format: composed, 1) }
        #expect(NSPredicate(format: decomposed, 1).predicateFormat.unicodeScalars.contains("\u{301}"))
    }

    /// ArchivedPredicate knows no NSSubqueryExpression; the template asks for everything, without a word.
    @Test("a fetch request of a compiled model whose predicate cannot be read is reported, and does not fetch all")
    func template() throws {
        let directory = try TemporaryDirectory()
        let bytes = Data(base64Encoded: Self.compiled, options: .ignoreUnknownCharacters)
        let url = directory.file("M.mom")
        try #require(bytes).write(to: url)
        let loaded = try NSManagedObjectModel.load(contentsOf: url)
        let template = loaded.model.fetchRequestTemplate(forName: "unread")
        #expect(template == nil || template?.predicate != nil || !loaded.warnings.isEmpty)
    }

    /// With the hash of a dictionary, which is its count on Linux, this takes 42 seconds.
    @Test("distinct dictionaries of two stores are found by their values")
    func distinct() throws {
        let coordinator = try Library.inMemory()
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = coordinator.context()
        for pages in 0..<3_000 {
            context.assign(context.make("Book", ["pages": pages]), to: coordinator.persistentStores[pages % 2])
        }
        try context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["pages"]
        request.returnsDistinctResults = true
        #expect(try context.fetch(request).count == 3_000)
    }

    @Test("an entity of another copy of the model is the store's own", arguments: ["entity == %@", "entity IN {%@}"])
    func copiedEntity(_ format: String) throws {
        let context = try Library.inMemory().context()
        for entity in ["Author", "Poet"] { _ = context.make(entity, ["name": entity]) }
        try context.save()
        let copy = Library.model()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: format, try #require(copy.entitiesByName["Poet"]))
        #expect(try context.fetch(request).map { $0.text("name") } == ["Poet"])
    }

    /// A model of one entity, with a request template that compares a SUBQUERY with 1.
    private static let compiled = """
        YnBsaXN0MDDUAQIDBAUGZWhZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKvEBsHCA4VFhkf
        IiQlKC4vMjY5PUAVSEsVUVZXXF9VJG51bGzSCQoLDFgkY2xhc3Nlc1okY2xhc3NuYW1logwNXE5TRGljdGlvbmFyeVhOU09iamVjdNMP
        EBESExRWJGNsYXNzV05TLmtleXNaTlMub2JqZWN0c4ABoKBUQm9va9IJChcYohgNXxATTlNFbnRpdHlEZXNjcmlwdGlvbtMPGhscHR5c
        TlNFbnRpdHlOYW1lXE5TUHJvcGVydGllc4AEgAOAAtIJCiAhoiENXxATTlNLZXlQYXRoRXhwcmVzc2lvbtEPI4AGUXjSCQomJ6InDV8Q
        FE5TU3VicXVlcnlFeHByZXNzaW9u0w8pKissLVxOU0NvbGxlY3Rpb25aTlNWYXJpYWJsZYAJgAeACBAB0gkKMDGiMQ1fEBlOU0NvbnN0
        YW50VmFsdWVFeHByZXNzaW9u0g8zNDVfEA9OU0NvbnN0YW50VmFsdWWADIAL0gkKNziiOA1fEBtOU0VxdWFsaXR5UHJlZGljYXRlT3Bl
        cmF0b3LSDzo7PF5OU09wZXJhdG9yVHlwZYAOEATSCQo+P6I/DV8QFU5TQ29tcGFyaXNvblByZWRpY2F0ZdQPQUJDREVGR18QEE5TTGVm
        dEV4cHJlc3Npb25fEBNOU1ByZWRpY2F0ZU9wZXJhdG9yXxARTlNSaWdodEV4cHJlc3Npb26AEIAKgA+ADdIJCklKokoNXk5TRmV0Y2hS
        ZXF1ZXN00w9MTU5PUFtOU1ByZWRpY2F0ZV8QGV9OU0ZldGNoUmVxdWVzdEVudGl0eU5hbWWAE4ARgBLTDxARElJUoVOAFaFVgAVWdW5y
        ZWFk0w8QERJYWqFZgBehW4AU0gkKXV6iXg1fEBROU01hbmFnZWRPYmplY3RNb2RlbNMPYGFiY2RaTlNFbnRpdGllc18QF05TRmV0Y2hS
        ZXF1ZXN0VGVtcGxhdGVzgBmAFoAY0WZnVHJvb3SAGhIAAYagAAgAEQAbACQAKQAyAEQAYgBoAG0AdgCBAIQAkQCaAKEAqACwALsAvQC+
        AL8AxADJAMwA4gDpAPYBAwEFAQcBCQEOAREBJwEqASwBLgEzATYBTQFUAWEBbAFuAXABcgF0AXkBfAGYAZ0BrwGxAbMBuAG7AdkB3gHt
        Ae8B8QH2AfkCEQIaAi0CQwJXAlkCWwJdAl8CZAJnAnYCfQKJAqUCpwKpAqsCsgK0ArYCuAK6AsECyALKAswCzgLQAtUC2ALvAvYDAQMb
        Ax0DHwMhAyQDKQMrAAAAAAAAAgEAAAAAAAAAaQAAAAAAAAAAAAAAAAAAAzA=
        """
}
