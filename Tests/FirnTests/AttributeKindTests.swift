import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Archives as in the days before secure coding. Foundation archives classes at the top level only.
final class PlainSeal: NSObject, NSCoding {
    let name: String
    init(_ name: String) { self.name = name }
    required init?(coder: NSCoder) { name = coder.decodeObject(forKey: "name") as? String ?? "" }
    func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
}

@Suite("Attributes that are more than a value in a column")
struct AttributeKindTests {
    /// Turns texts around, so that what is stored is not what is held.
    final class Reversing: ValueTransformer {
        override class func transformedValueClass() -> AnyClass { NSData.self }
        override class func allowsReverseTransformation() -> Bool { true }

        override func transformedValue(_ value: Any?) -> Any? {
            (value as? String).map { Data(String($0.reversed()).utf8) }
        }

        override func reverseTransformedValue(_ value: Any?) -> Any? {
            (value as? Data).map { String(String(decoding: $0, as: UTF8.self).reversed()) }
        }
    }

    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        ValueTransformer.setValueTransformer(Reversing(), forName: NSValueTransformerName("FirnTests.Reversing"))
        directory = try TemporaryDirectory()
        let point = NSCompositeAttributeDescription()
        point.name = "point"
        point.elements = [
            ModelSketch.attribute("east", .doubleAttributeType), ModelSketch.attribute("north", .doubleAttributeType),
        ]
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.preservesValueInHistoryOnDeletion = true
        place.elements = [
            ModelSketch.attribute("city"), ModelSketch.attribute("floor", .integer16AttributeType), point,
        ]
        let keywords = ModelSketch.attribute("keywords", .transformableAttributeType)
        let motto = ModelSketch.attribute("motto", .transformableAttributeType)
        motto.valueTransformerName = "FirnTests.Reversing"
        let secured = ModelSketch.attribute("secured", .transformableAttributeType)
        secured.valueTransformerName = "NSSecureUnarchiveFromData"
        let mood = ModelSketch.attribute("mood")
        mood.isTransient = true
        let office = ModelSketch.entity("Office", [place, keywords, motto, secured, mood])
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelSketch.model(office))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Offices.sqlite"), options: nil)
        context = coordinator.context()
    }

    private func reread(_ object: NSManagedObject) throws -> NSManagedObject {
        try context.save()
        context.refresh(object, mergeChanges: false)
        return object
    }

    private func lastTransaction() throws -> NSPersistentHistoryTransaction {
        let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(all) as? NSPersistentHistoryResult
        return try #require((result?.result as? [NSPersistentHistoryTransaction])?.last)
    }

    private func text(_ place: Any?) -> String {
        let elements = place as? [String: Any] ?? [:]
        return "\(elements["city"] ?? "-") \(elements["floor"] ?? "-")"
    }

    @Test("a transformable attribute that names no transformer has objects of any class")
    func anyClass() throws {
        let office = context.make("Office")
        office.setValue([PlainSeal("round")] as NSArray, forKey: "keywords")
        let seals = try reread(office).value(forKey: "keywords") as? [PlainSeal]
        #expect(seals?.map(\.name) == ["round"])
    }

    @Test("a secure transformer refuses an object without secure coding, also in a collection")
    func insecure() throws {
        let office = context.make("Office")
        for value in [PlainSeal("round"), [PlainSeal("round")] as NSArray, ["a": PlainSeal("round")] as NSDictionary] {
            office.setValue(value, forKey: "secured")
            #expect(throws: NSError.self) { try self.context.save() }
        }
        office.setValue(["a": [1, "b"] as NSArray] as NSDictionary, forKey: "secured")
        let secured = try reread(office).value(forKey: "secured") as? NSDictionary
        #expect((secured?["a"] as? NSArray)?.count == 2)
    }

    @Test("a composite is a dictionary of its elements, stored element by element")
    func composite() throws {
        let office = context.make("Office")
        office.setValue(["city": "Bern", "floor": 3] as [String: Any], forKey: "place")
        let place = try #require(try reread(office).value(forKey: "place") as? [String: Any])
        #expect(place["city"] as? String == "Bern")
        #expect((place["floor"] as? NSNumber)?.intValue == 3)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Office")
        request.predicate = NSPredicate(format: "place.city == 'Bern' AND place.floor > 2")
        #expect(try context.count(for: request) == 1)
        request.predicate = NSPredicate(format: "place == nil")
        let error = #expect(throws: NSError.self) { try self.context.count(for: request) }
        #expect(error?.localizedDescription.contains("such as “place.city”") == true)
        office.setValue(nil, forKey: "place")
        #expect(try reread(office).value(forKey: "place") == nil)
    }

    @Test(
        "a composite in a composite is a dictionary in its dictionary",
        arguments: [NSSQLiteStoreType, NSBinaryStoreType])
    func nested(type: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: directory.file("Nested"), options: nil)
        let context = coordinator.context()
        let office = context.make("Office")
        let place: [String: Any] = ["city": "Bern", "point": ["east": 7.4, "north": 46.9]]
        office.setValue(place, forKey: "place")
        try context.save()
        context.refresh(office, mergeChanges: false)
        #expect(office.value(forKey: "place") as? NSDictionary == place as NSDictionary)
        #expect(office.value(forKeyPath: "place.point.north") as? Double == 46.9)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Office")
        request.predicate = NSPredicate(format: "place.point.north > 46")
        #expect(try context.count(for: request) == 1)
        let other = coordinator.context()
        #expect(try other.fetch(request).first?.value(forKey: "place") as? NSDictionary == place as NSDictionary)
    }

    /// An office whose floor another context changed, and saved, and whose city is another here.
    private func changedTwice() throws -> NSManagedObject {
        let office = context.make("Office")
        office.setValue(["city": "Bern", "floor": 3] as [String: Any], forKey: "place")
        try context.save()
        let other = coordinator.context()
        try #require(try other.all("Office").first).setValue(["city": "Bern", "floor": 4], forKey: "place")
        office.setValue(["city": "Thun", "floor": 3] as [String: Any], forKey: "place")
        try other.save()
        return office
    }

    @Test(
        "a composite is merged as one value",
        arguments: [(NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, "Thun 3"),
            (.mergeByPropertyStoreTrumpMergePolicyType, "Bern 4"), (.overwriteMergePolicyType, "Thun 3")])
    func compositeMerged(policy: NSMergePolicyType, place: String) throws {
        let office = try changedTwice()
        context.mergePolicy = NSMergePolicy(merge: policy)
        try context.save()
        #expect(text(try reread(office).value(forKey: "place")) == place)
    }

    @Test("a composite that is changed here stays as it is when its object is refreshed, and an overlap is reported")
    func compositeRefreshed() throws {
        let office = try changedTwice()
        context.mergePolicy = RebaseMergePolicy()
        #expect(throws: NSError.self) { try context.save() }
        context.refresh(office, mergeChanges: true)
        #expect(text(office.value(forKey: "place")) == "Thun 3")
        try context.save()
        #expect(text(try reread(office).value(forKey: "place")) == "Thun 3")
    }

    @Test("a composite is saved into a parent as one value")
    func compositeInParent() throws {
        let office = context.make("Office")
        office.setValue(["city": "Bern", "floor": 3] as [String: Any], forKey: "place")
        try context.save()
        let child = context.makeChild()
        try child.existingObject(with: office.objectID).setValue(["city": "Thun", "floor": 3], forKey: "place")
        office.setValue(["city": "Bern", "floor": 4] as [String: Any], forKey: "place")
        try child.save()
        #expect(text(office.value(forKey: "place")) == "Thun 3")
    }

    @Test("a history names a composite of which an element changed, and reverting restores it")
    func compositeHistory() throws {
        let office = context.make("Office")
        office.setValue(["city": "Bern", "floor": 3] as [String: Any], forKey: "place")
        try context.save()
        office.setValue(["city": "Bern", "floor": 4] as [String: Any], forKey: "place")
        try context.save()
        let update = try lastTransaction()
        let change = try #require(update.changes?.first)
        #expect(change.updatedProperties?.map(\.name) == ["place"])
        #expect(
            change.changedNames == ["place.city", "place.floor", "place.point.east", "place.point.north"])
        try context.revert(update)
        #expect(text(office.value(forKey: "place")) == "Bern 3")
        try context.save()
        context.delete(office)
        try context.save()
        let deletion = try lastTransaction()
        #expect(text(deletion.changes?.first?.tombstone?["place"]) == "Bern 3")
        try context.revert(deletion)
        let restored = try #require(context.insertedObjects.first)
        #expect(text(restored.value(forKey: "place")) == "Bern 3")
    }

    @Test("a transformable without a transformer is archived securely")
    func archived() throws {
        let office = context.make("Office")
        office.setValue(["quiet", "light"] as NSArray, forKey: "keywords")
        #expect(try reread(office).value(forKey: "keywords") as? [String] == ["quiet", "light"])
    }

    @Test("a transformable goes through its transformer into the store and back")
    func transformed() throws {
        let office = context.make("Office", ["motto": "Festina lente"])
        #expect(try reread(office).text("motto") == "Festina lente")
    }

    @Test("a transformer that gives no data fails the save with the attribute's name, and nothing is lost")
    func failing() throws {
        let office = context.make("Office", ["motto": 7])
        #expect { try context.save() } throws: { error in
            (error as NSError).userInfo[NSValidationKeyErrorKey] as? String == "motto"
        }
        #expect(context.insertedObjects == [office])
        office.setValue("Festina lente", forKey: "motto")
        try context.save()
    }

    @Test("a transient value lives through a save, and not through a refresh")
    func transient() throws {
        let office = context.make("Office", ["mood": "calm"])
        try context.save()
        #expect(office.text("mood") == "calm")
        #expect(try reread(office).text("mood") == nil)
    }
}
