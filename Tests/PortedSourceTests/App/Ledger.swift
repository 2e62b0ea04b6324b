import CoreData
import PortedBase

private class Entry: NSManagedObject {
    @NSManaged var sum: Int64
}

final class Ledger {
    fileprivate class Page: NSManagedObject {
        @NSManaged var number: Int64
    }

    func pageNumber() throws -> Int64 {
        let context = ownContext(of: Page.self, NSStringFromClass(Page.self), ["number"])
        let page = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context) as! Page
        page.number = 4
        try context.save()
        return page.number
    }
}

func ledgerSum() throws -> Int64 {
    let context = ownContext(of: Entry.self, NSStringFromClass(Entry.self), ["sum"])
    for sum in [1, 2] { Entry(context: context).sum = Int64(sum) }
    try context.save()
    return try context.fetch(NSFetchRequest<Entry>(entityName: "Entry")).reduce(0) { $0 + $1.sum }
}

private class Sip: NSManagedObject {
    @NSManaged var taste: Taste
}

/// The type of the property is in a ported source of another target.
func sipTaste() throws -> Taste {
    let context = ownContext(of: Sip.self, NSStringFromClass(Sip.self), ["taste"])
    let sip = Sip(context: context)
    sip.taste = .sweet
    try context.save()
    context.refreshAllObjects()
    return sip.taste
}

/// A context with a store in memory, and a model of one entity.
func ownContext(of type: NSManagedObject.Type, _ className: String, _ keys: [String]) -> NSManagedObjectContext {
    let entity = NSEntityDescription()
    entity.name = String(describing: type).components(separatedBy: "_")[0]
    entity.managedObjectClassName = className
    entity.properties = keys.map { key in
        let attribute = NSAttributeDescription()
        attribute.name = key
        attribute.attributeType = key == "text" ? .stringAttributeType : .integer64AttributeType
        attribute.defaultValue = key == "text" ? "" : 0
        return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    _ = try! coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}

/// Classes with names of their own for Objective-C that are no managed objects.
@objc(LedgerClerk)
final class Clerk: NSObject {}

@objc(LedgerTeller)
private final class Teller: NSObject {}
