import CoreData
import Foundation

/// `person` as a managed object.
final class Person: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var surname: String
    @NSManaged var birthday: Date
    @NSManaged var hired: Date
    @NSManaged var salary: NSDecimalNumber
    @NSManaged var token: UUID
    @NSManaged var nickname: String?
    @NSManaged var manager: Person?
    @NSManaged var reports: Set<Person>

    func fill(_ data: PersonData) {
        name = data.name
        surname = data.surname
        birthday = Date(timeIntervalSinceReferenceDate: data.birthday)
        hired = Date(timeIntervalSinceReferenceDate: data.hired)
        salary = NSDecimalNumber(decimal: data.salary)
        token = data.token
        nickname = data.nickname
    }

    var digest: Int64 {
        PersonData.digest(
            name: name, surname: surname, birthday: birthday.timeIntervalSinceReferenceDate,
            hired: hired.timeIntervalSinceReferenceDate, salary: salary.decimalValue, token: token, nickname: nickname)
    }
}

/// `person` in stores of Firn.
enum FirnPersons {
    static func create(_ trial: Trial) throws -> NSPersistentContainer { try FirnStores.container(trial, model()) }

    /// Ends a measure of saves, and what is prepared for one: see `FirnItems.catchUpTables(_:)`.
    static func catchUpTables(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Person>(entityName: "Person")
        request.fetchLimit = 1
        _ = try context.performAndWait { try context.fetch(request) }
    }

    static func insert(_ rows: Range<Int>, into context: NSManagedObjectContext) throws {
        try context.performAndWait {
            var persons: [Person] = []
            persons.reserveCapacity(rows.count)
            for row in rows {
                let person = Person(context: context)
                let data = PersonData(number: row)
                person.fill(data)
                if let manager = data.manager { person.manager = persons[manager] }
                persons.append(person)
            }
            try context.save()
        }
    }

    private static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Person"
        entity.managedObjectClassName = NSStringFromClass(Person.self)
        let attributes = [
            attribute("name", .stringAttributeType), attribute("surname", .stringAttributeType),
            attribute("birthday", .dateAttributeType), attribute("hired", .dateAttributeType),
            attribute("salary", .decimalAttributeType), attribute("token", .UUIDAttributeType),
            attribute("nickname", .stringAttributeType),
        ]
        for attribute in attributes { attribute.isOptional = attribute.name == "nickname" }
        let manager = NSRelationshipDescription()
        manager.name = "manager"
        manager.destinationEntity = entity
        manager.maxCount = 1
        let reports = NSRelationshipDescription()
        reports.name = "reports"
        reports.destinationEntity = entity
        for (one, other) in [(manager, reports), (reports, manager)] {
            one.inverseRelationship = other
            one.isOptional = true
            one.deleteRule = .nullifyDeleteRule
        }
        entity.properties = attributes + [manager, reports]
        let surname = NSFetchIndexElementDescription(property: attributes[1], collationType: .binary)
        entity.indexes = [NSFetchIndexDescription(name: "bySurname", elements: [surname])]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}
