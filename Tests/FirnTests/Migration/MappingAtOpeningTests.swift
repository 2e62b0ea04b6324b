import Firn
import FirnFoundation
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Mapping models that a coordinator finds among the program's bundles when it opens a store.
@Suite("A mapping model found at opening", .serialized)
struct MappingAtOpeningTests {
    private static let old = """
        Parcel: weight String, sender -> Office.parcels
        Office: city String, parcels ->> Parcel.sender
        """
    private static let new = """
        Parcel: weight Integer32, sender -> Office.parcels
        Office: city String, parcels ->> Parcel.sender
        """

    private let store: MigratingStore
    private let bundle: MappingBundle

    init() throws {
        store = try MigratingStore()
        bundle = try MappingBundle()
    }

    private func fill() throws {
        try store.with(Self.old) { context in
            let office = context.make("Office", ["city": "Oslo"])
            for weight in ["12", "7"] {
                context.make("Parcel", ["weight": weight]).setValue(office, forKey: "sender")
            }
        }
    }

    @Test("does in place what cannot be inferred; objects keep their keys, the past its terms")
    func inPlace() throws {
        try fill()
        let before = try store.with(Self.old)
        let head = try StoredTables.head(store.url)
        let after = try store.with(Self.new)
        #expect(after.objects["Parcel/p1"]?["weight"] == "12" || after.objects["Parcel/p1"]?["weight"] == "7")
        #expect(Set(after.objects.keys) == Set(before.objects.keys))
        #expect(after.objects["Office/p1"] == before.objects["Office/p1"])
        try store.check(before, at: head, Self.new, #_sourceLocation)
    }

    @Test("is used where nothing may be inferred")
    func notInferred() throws {
        try fill()
        let options = [NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true)]
        let coordinator = try store.coordinator(ModelText.model(Self.new), options)
        let context = coordinator.context()
        let weights = try context.all("Parcel").map { $0.value(forKey: "weight") as? Int32 }
        #expect(Set(weights) == [12, 7])
    }

    @Test("is used where a mapping could be inferred too")
    func inferable() throws {
        try store.with(Self.new) { _ = $0.make("Parcel", ["weight": 12]) }
        let after = try store.with(Self.new.replacing("Integer32", with: "Integer64"))
        #expect(after.objects["Parcel/p1"]?["weight"] == "12000")
    }

    @Test("leads a store that has the entities of one configuration")
    func configuration() throws {
        func coordinator(_ text: String) throws -> NSPersistentStoreCoordinator {
            let model = try ModelText.model(text + "\nabstract Note: text String")
            let members = ["Parcel", "Office"].compactMap { model.entitiesByName[$0] }
            model.setEntities(members, forConfigurationName: "Post")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: "Post", at: store.url,
                options: MigratingStore.lightweight)
            return coordinator
        }
        do {
            let before = try coordinator(Self.old)
            let context = before.context()
            _ = context.make("Parcel", ["weight": "12"])
            try context.save()
            for store in before.persistentStores { try before.remove(store) }
        }
        let context = try coordinator(Self.new).context()
        try withExtendedLifetime(context) {
            let parcels = try context.all("Parcel")
            #expect(parcels.map { $0.value(forKey: "weight") as? Int32 } == [12])
            #expect(parcels.map { $0.objectID.uriRepresentation().lastPathComponent } == ["p1"])
        }
    }

    @Test("leaves no rows in the log once the history of the migration was deleted")
    func trimmedRows() throws {
        try fill()
        let coordinator = try store.coordinator(ModelText.model(Self.new))
        let migration = try StoredTables.head(store.url)
        let context = coordinator.context()
        for parcel in try context.all("Parcel") { context.delete(parcel) }
        try context.save()
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        let log = try SegmentLog.open(directory: store.url.path + "-log", forWriting: false)
        defer { log.close() }
        #expect(log.baseline > migration)
        #expect(try log.model(at: migration).migration?.rows == nil)
    }
}

/// A bundle with one mapping model, beside the program as the package manager puts those of its targets.
final class MappingBundle {
    private let folder = Bundle.main.bundleURL.appending(path: "Parcels-\(UUID().uuidString).bundle")

    init() throws {
        let model = folder.appending(path: "Parcels.xcmappingmodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(Self.xml.utf8).write(to: model.appending(path: "xcmapping.xml"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static let xml = """
        <database>
          <object type="XDDEVENTITYMAPPING" id="z1">
            <attribute name="sourcename">Parcel</attribute><attribute name="destinationname">Parcel</attribute>
            <attribute name="mappingnumber">1</attribute>
            <attribute name="migrationpolicyclassname">\(String(reflecting: WeighingPolicy.self))</attribute>
          </object>
          <object type="XDDEVATTRIBUTEMAPPING" id="z2">
            <attribute name="name">weight</attribute><relationship name="entitymapping" idrefs="z1"/>
          </object>
          <object type="XDDEVRELATIONSHIPMAPPING" id="z3">
            <attribute name="name">sender</attribute><attribute name="autogenerateexpression">1</attribute>
            <relationship name="entitymapping" idrefs="z1"/>
          </object>
          <object type="XDDEVENTITYMAPPING" id="z4">
            <attribute name="sourcename">Office</attribute><attribute name="destinationname">Office</attribute>
            <attribute name="mappingnumber">2</attribute>
          </object>
          <object type="XDDEVATTRIBUTEMAPPING" id="z5">
            <attribute name="name">city</attribute><attribute name="autogenerateexpression">1</attribute>
            <relationship name="entitymapping" idrefs="z4"/>
          </object>
          <object type="XDDEVRELATIONSHIPMAPPING" id="z6">
            <attribute name="name">parcels</attribute><attribute name="autogenerateexpression">1</attribute>
            <relationship name="entitymapping" idrefs="z4"/>
          </object>
        </database>
        """
}

/// Makes numbers of texts, and grams of kilograms.
final class WeighingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let weight = sInstance.value(forKey: "weight")
        let number = (weight as? String).flatMap { Int32($0) }
        made.first?.setValue(number ?? (weight as? Int32).map { $0 * 1000 }, forKey: "weight")
    }
}
