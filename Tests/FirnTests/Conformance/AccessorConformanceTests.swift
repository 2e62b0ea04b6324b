import Firn
import FirnFoundation
import Foundation
import StoreSupport
import Testing

/// Accessors that a class has of its own: key-value coding calls them, as it does on Apple's systems.
/// https://developer.apple.com/documentation/coredata/nsmanagedobject/value(forkey:)
@Suite("Conformance (m): accessors of classes")
struct AccessorConformanceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let visit: Visit

    init() throws {
        let entity = NSEntityDescription()
        entity.name = "Visit"
        entity.managedObjectClassName = NSStringFromClass(Visit.self)
        entity.properties = [
            ("date", .dateAttributeType), ("month", .stringAttributeType), ("kind", .integer16AttributeType),
            ("rank", .integer32AttributeType),
        ].map { name, type in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.isTransient) = (name, type, name == "month")
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        coordinator = try Library.inMemory(model)
        context = coordinator.context()
        visit = Visit(context: context)
        visit.date = Date(timeIntervalSinceReferenceDate: 0)
        try context.save()
    }

    @Test("m.25a a property is read by the accessor of its class, with a value that key-value coding has")
    func reading() {
        #expect(visit.value(forKey: "month") as? String == "M0")
        #expect(visit.value(forKeyPath: "month.length") as? Int == 2)
        #expect(visit.dictionaryWithValues(forKeys: ["month"])["month"] as? String == "M0")
        visit.kind = .long
        #expect(visit.value(forKey: "kind") as? Int == 2)
        #expect(NSPredicate(format: "kind == 2 AND month == 'M0'").evaluate(with: visit))
        #expect(visit.value(forKey: "double") as? Int == 0)
        #expect(visit.value(forKey: "rank") == nil)
    }

    @Test("m.25a a property is set by the accessor of its class")
    func setting() {
        _ = visit.month
        visit.setValue(Date(timeIntervalSinceReferenceDate: 7), forKey: "date")
        #expect(visit.month == "M7")
        visit.setValuesForKeys(["kind": 2, "rank": 4])
        #expect(visit.kind == .long && visit.settings == 3)
        #expect(visit.value(forKey: "double") as? Int == 8)
        visit.setValue(10, forKey: "double")
        #expect(visit.value(forKey: "rank") as? Int == 5)
        visit.setValue(nil, forKey: "date")
        #expect(visit.date == nil && visit.settings == 4)
    }

    @Test("m.25a sections have the names that an accessor gives")
    func sections() throws {
        Visit(context: context).date = Date(timeIntervalSinceReferenceDate: 9)
        try context.save()
        let request = NSFetchRequest<Visit>(entityName: "Visit")
        request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "month", cacheName: nil)
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["M0", "M9"])
    }
}

/// Has accessors as Apple's guides write them: a transient value made of a stored one, an enumeration, a value that is
/// in no model.
final class Visit: NSManagedObject {
    enum Kind: Int16 { case short = 1, long }

    var settings = 0

    var date: Date? {
        get { primitive("date") as? Date }
        set {
            setPrimitive(newValue, "date")
            setPrimitiveValue(nil, forKey: "month")
            settings += 1
        }
    }
    var month: String? {
        if let month = primitive("month") as? String { return month }
        let month = date.map { "M\(Int($0.timeIntervalSinceReferenceDate))" }
        setPrimitiveValue(month, forKey: "month")
        return month
    }
    var kind: Kind {
        get { (primitive("kind") as? Int16).flatMap(Kind.init) ?? .short }
        set {
            setPrimitive(newValue.rawValue, "kind")
            settings += 1
        }
    }
    var double: Int {
        get { 2 * (primitive("rank") as? Int ?? 0) }
        set { setPrimitive(newValue / 2, "rank") }
    }

    private func primitive(_ key: String) -> Any? {
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return primitiveValue(forKey: key)
    }

    private func setPrimitive(_ value: Any?, _ key: String) {
        willChangeValue(forKey: key)
        setPrimitiveValue(value, forKey: key)
        didChangeValue(forKey: key)
    }
}

/// As the plugin `PortedSources` writes it for `@objc` properties.
final class Visit_PortedKeys: GeneratedKeyNames {
    override class func list(_ add: (AnyKeyPath, String) -> Void) {
        add(\Visit.date, "date")
        add(\Visit.month, "month")
        add(\Visit.kind, "kind")
        add(\Visit.double, "double")
    }
}
