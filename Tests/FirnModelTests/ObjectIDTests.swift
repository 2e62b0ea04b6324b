import FirnModel
import Foundation
import Testing

@Suite struct ObjectIDTests {
    let library = Library()
    let store = StoreIdentity(identifier: "A1B2")

    func permanent(_ entity: NSEntityDescription, root: UInt32 = 2, _ key: Int64)
        -> NSManagedObjectID
    {
        NSManagedObjectID(
            entity: entity, entityNumber: 3, rootNumber: root, primaryKey: key, store: store)
    }

    @Test("The URI of a permanent ID names store, entity and key")
    func permanentURI() {
        #expect(
            permanent(library.book, 7).uriRepresentation().absoluteString
                == "x-coredata://A1B2/Book/p7")
    }

    @Test("The URI of a temporary ID names no store")
    func temporaryURI() {
        let text = NSManagedObjectID(temporaryFor: library.book).uriRepresentation().absoluteString
        #expect(text.hasPrefix("x-coredata:///Book/t"))
        #expect(text.count == "x-coredata:///Book/t".count + 36)
    }

    @Test("An entity's name of any script stands in the URI")
    func percent() {
        let id = permanent(entity("书 架"), 1)
        #expect(
            id.uriRepresentation().absoluteString == "x-coredata://A1B2/%E4%B9%A6%20%E6%9E%B6/p1")
    }

    @Test("Permanent IDs of one store, root and key are equal, and hash alike")
    func equal() {
        let (one, two) = (permanent(library.book, 7), permanent(library.novel, 7))
        #expect(one == two)
        #expect(Set([one, two]).count == 1)
    }

    @Test("IDs of the same store opened twice are equal")
    func twoOpenings() {
        let again = StoreIdentity(identifier: "A1B2")
        let other = NSManagedObjectID(
            entity: library.book, entityNumber: 3, rootNumber: 2, primaryKey: 7, store: again)
        #expect(permanent(library.book, 7) == other)
    }

    @Test("IDs that differ in key, root or store are not equal")
    func unequal() {
        let id = permanent(library.book, 7)
        let elsewhere = NSManagedObjectID(
            entity: library.book, entityNumber: 3, rootNumber: 2, primaryKey: 7,
            store: StoreIdentity(identifier: "C3D4"))
        #expect(id != permanent(library.book, 8))
        #expect(id != permanent(library.book, root: 1, 7))
        #expect(id != elsewhere)
    }

    @Test("A temporary ID equals itself only")
    func temporary() {
        let id = NSManagedObjectID(temporaryFor: library.book)
        #expect(id.isTemporaryID)
        #expect(id == id.copy() as? NSManagedObjectID)
        #expect(id != NSManagedObjectID(temporaryFor: library.book))
    }
}
