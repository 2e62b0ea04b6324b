import CoreData
import Testing

@Suite("Objects of entities that are made in code")
struct OrderedChangeTests {
    private func attribute(_ name: String) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        attribute.isOptional = true
        return attribute
    }

    /// Lists with items in an order, in memory.
    private func context() throws -> NSManagedObjectContext {
        let (list, item) = (NSEntityDescription(), NSEntityDescription())
        (list.name, item.name) = ("List", "Item")
        let (items, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        (items.name, items.destinationEntity, items.inverseRelationship) = ("items", item, owner)
        (owner.name, owner.destinationEntity, owner.inverseRelationship) = ("list", list, items)
        items.isOrdered = true
        owner.maxCount = 1
        list.properties = [items]
        item.properties = [attribute("name"), owner]
        let model = NSManagedObjectModel()
        model.entities = [list, item]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test("an accessor that announces places in an ordered relationship changes both sides")
    func places() throws {
        let context = try context()
        try context.performAndWait {
            let list = NSEntityDescription.insertNewObject(forEntityName: "List", into: context)
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            try context.save()
            list.willChange(.insertion, valuesAt: [0], forKey: "items")
            list.setPrimitiveValue(NSOrderedSet(array: [item]), forKey: "items")
            list.didChange(.insertion, valuesAt: [0], forKey: "items")
            #expect(list.changedValues().keys.sorted() == ["items"])
            #expect(item.value(forKey: "list") as? NSManagedObject === list)
            try context.save()
            context.refreshAllObjects()
            #expect((list.value(forKey: "items") as? NSOrderedSet)?.array as? [NSManagedObject] == [item])
        }
    }

    @Test("a member that is removed and put back in its place is no changed value", arguments: [false, true])
    func putBack(isRead: Bool) throws {
        let context = try context()
        try context.performAndWait {
            let list = NSEntityDescription.insertNewObject(forEntityName: "List", into: context)
            let items = (0..<2).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Item", into: context) }
            list.setValue(NSOrderedSet(array: items), forKey: "items")
            try context.save()
            if !isRead { context.refreshAllObjects() }
            let members = list.mutableOrderedSetValue(forKey: "items")
            members.remove(items[1])
            #expect(list.changedValues().keys.sorted() == ["items"])
            members.add(items[1])
            #expect(list.changedValues().isEmpty)
            #expect(!list.hasPersistentChangedValues && list.hasChanges)
            items[0].setValue(nil, forKey: "list")
            items[0].setValue(list, forKey: "list")
            #expect(list.changedValues().keys.sorted() == ["items"])
            try context.save()
            context.refreshAllObjects()
            #expect((list.value(forKey: "items") as? NSOrderedSet)?.array as? [NSManagedObject] == [items[1], items[0]])
        }
    }

    @Test("an object without a context is made of an entity that is in no model")
    func loneEntity() {
        let entity = NSEntityDescription()
        entity.name = "-"
        entity.properties = [attribute("name")]
        let object = NSManagedObject(entity: entity, insertInto: nil)
        object.setValue("a", forKey: "name")
        #expect(object.value(forKey: "name") as? String == "a")
        #expect(object.entity === entity && object.managedObjectContext == nil)
    }
}
