import CoreData
import Foundation

/// Saves of several threads that change objects with relationships.
extension Workload {
    /// Both sides are Firn: what counts is how the rate grows.
    static var relatedUpdaters: Workload {
        Workload(
            name: "related-updaters", suite: .saves,
            summary: "8,000 synced saves of a person with a new manager, by one context (alone), by 8 contexts (firn)",
            goals: [.rate(atLeast: 3.5, of: "alone")],
            sides: [
                Side("alone") { try relatedUpdates($0, threads: 1) },
                Side("firn") { try relatedUpdates($0, threads: 8) },
            ])
    }

    /// Each eighth of the saves is about a person of its own, which goes from one of two managers to the other.
    private static func relatedUpdates(_ trial: Trial, threads: Int) throws {
        let container = try FirnPersons.create(trial)
        let groups = try FirnPersons.groups(8, in: container.newBackgroundContext())
        let ofEach = max(trial.count(8_000) / groups.count, 1)
        try measureSaves(trial, container, threads: threads) { row, context in
            let group = groups[min(row / ofEach, groups.count - 1)]
            let persons = group.map { id in
                guard let person = context.object(with: id) as? Person else { fatalError("no person") }
                return person
            }
            persons[0].salary = NSDecimalNumber(value: row)
            persons[0].manager = persons[1 + row % 2]
        } catchingUp: { context in
            try FirnPersons.catchUpTables(context)
        }
        try FirnPersons.read(container, into: &trial.digest)
    }
}

extension FirnPersons {
    /// A report and two managers for each group, saved.
    fileprivate static func groups(_ count: Int, in context: NSManagedObjectContext) throws -> [[NSManagedObjectID]] {
        try context.performAndWait {
            let groups = (0..<count).map { group in
                (0..<3).map { member in
                    let person = Person(context: context)
                    person.fill(PersonData(number: 3 * group + member))
                    return person
                }
            }
            try context.save()
            return groups.map { $0.map(\.objectID) }
        }
    }

    /// Each person's values, with its manager's.
    fileprivate static func read(_ container: NSPersistentContainer, into digest: inout Digest) throws {
        let context = container.newBackgroundContext()
        digest = try context.performAndWait { [digest] in
            var sums = digest
            for person in try context.fetch(NSFetchRequest<Person>(entityName: "Person")) {
                sums.add(person.digest &+ 31 &* (person.manager?.digest ?? 0))
            }
            return sums
        }
    }
}
