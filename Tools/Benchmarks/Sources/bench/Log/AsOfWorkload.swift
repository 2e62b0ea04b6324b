import CoreData
import Foundation

/// What fetches of the past cost, compared with the same fetches now.
extension Workload {
    static var asOf: Workload {
        Workload(
            name: "as-of", suite: .log,
            summary: "fetch from 20,000 persons as of the middle of 60,000 changes, and the same now",
            goals: PastFetch.all.map { .figure(name: $0.name, atMost: 3) },
            sides: [
                Side("firn") { trial in
                    let container = try FirnPersons.create(trial)
                    let middle = try PersonChanges(trial).save(in: container)
                    let past = try trial.measure { try container.newContext(asOf: .token(middle)) }
                    trial.figures["first use, seconds"] = trial.seconds
                    let present = container.newBackgroundContext()
                    for fetch in PastFetch.all {
                        let now = try fetch.seconds(present)
                        trial.figures[fetch.name] = try fetch.seconds(past) / now
                        trial.figures[fetch.name + ", now, ms"] = now * 1e3
                    }
                }
            ])
    }
}

/// A history in which every person changes three times.
private struct PersonChanges {
    private let count: Int
    private let each = 100

    init(_ trial: Trial) { count = trial.count(20_000) }

    /// The token of the middle.
    func save(in container: NSPersistentContainer) throws -> NSPersistentHistoryToken {
        let context = container.newBackgroundContext()
        try FirnPersons.insert(0..<count, into: context)
        var middle: NSPersistentHistoryToken?
        try context.performAndWait {
            context.reset()
            let persons = try context.fetch(NSFetchRequest<Person>(entityName: "Person"))
            for number in 0..<3 * count {
                persons[number * 7_919 % count].hired =
                    Date(timeIntervalSinceReferenceDate: PersonData(number: number).hired)
                guard (number + 1) % each == 0 else { continue }
                try context.save()
                if number < 3 * count / 2 {
                    middle = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
                }
            }
        }
        guard let middle else { throw CocoaError(.featureUnsupported) }
        return middle
    }
}

/// A fetch of one kind.
private struct PastFetch {
    let name: String
    /// Runs it; the objects that it gives are read as far as the kind says.
    let run: (NSManagedObjectContext) throws -> Void

    /// The shortest of some runs: what else the machine does only ever adds. The row cache stays between them.
    func seconds(_ context: NSManagedObjectContext) throws -> Double {
        try context.performAndWait {
            var best = Double.infinity
            let limit = ContinuousClock.now + .seconds(2)
            for number in 0..<100 where number < 5 || ContinuousClock.now < limit {
                context.reset()
                let start = ContinuousClock.now
                try run(context)
                best = min(best, (ContinuousClock.now - start) / .seconds(1))
            }
            return best
        }
    }

    static var all: [PastFetch] {
        [
            PastFetch(name: "all objects, read") { context in
                let request = request()
                request.returnsObjectsAsFaults = false
                for person in try context.fetch(request) { _ = person.digest }
            },
            PastFetch(name: "all IDs") { context in
                let request = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
                request.resultType = .managedObjectIDResultType
                _ = try context.fetch(request)
            },
            objects("equal, indexed", "surname == 'Berg 101'"),
            objects("prefix, indexed", "surname BEGINSWITH 'Berg 1'"),
            objects("a page sorted by an index", "TRUEPREDICATE", by: "surname", limit: 100),
            objects("a page sorted without", "TRUEPREDICATE", by: "hired", limit: 100),
            objects("by the name of the manager, sorted", "manager.name == 'Ada'", by: "surname"),
            count("count by a condition", "name == 'Ada'"),
            count("count over one join", "manager.name != 'Ada'"),
            count("count over two joins", "manager.manager.name != 'Ada'"),
            count("count by ANY", "ANY reports.name == 'Ada'"),
            count("count by @count", "reports.@count > 5"),
            count("count by SUBQUERY", "SUBQUERY(reports, $r, $r.name == 'Ada').@count > 1"),
            PastFetch(name: "managers with their reports") { context in
                let request = request()
                request.predicate = NSPredicate(format: "reports.@count > 0")
                request.relationshipKeyPathsForPrefetching = ["reports"]
                for manager in try context.fetch(request) { _ = manager.reports.count }
            },
            PastFetch(name: "grouped dictionaries") { context in
                let count = NSExpressionDescription()
                count.name = "count"
                count.expression = NSExpression(
                    forFunction: "count:", arguments: [NSExpression(forKeyPath: "name")])
                count.expressionResultType = .integer64AttributeType
                let request = NSFetchRequest<NSDictionary>(entityName: "Person")
                request.resultType = .dictionaryResultType
                request.propertiesToGroupBy = ["name"]
                request.propertiesToFetch = ["name", count]
                _ = try context.fetch(request)
            },
        ]
    }

    private static func request() -> NSFetchRequest<Person> { NSFetchRequest(entityName: "Person") }

    private static func count(_ name: String, _ format: String) -> PastFetch {
        PastFetch(name: name) { context in
            let request = request()
            request.predicate = NSPredicate(format: format)
            _ = try context.count(for: request)
        }
    }

    /// Objects by a predicate, as faults.
    private static func objects(
        _ name: String, _ format: String, by key: String? = nil, limit: Int = 0
    ) -> PastFetch {
        PastFetch(name: name) { context in
            let request = request()
            request.predicate = NSPredicate(format: format)
            if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
            request.fetchLimit = limit
            _ = try context.fetch(request)
        }
    }
}
