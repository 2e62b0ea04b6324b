import CoreData
import FirnLog
import Foundation

/// A table's history, asked for as people do, next to DoltLite, which keeps one as well.
/// https://github.com/dolthub/doltlite
extension Workload {
    static var versions: Workload {
        let firn = Side("firn") { try Versions($0).run() }
        let python = ProcessInfo.processInfo.environment["FIRN_DOLTLITE"].map { URL(fileURLWithPath: $0) }
        let doltlite = python.map { python in Side("doltlite") { try Versions($0).run(inDoltLite: python) } }
        return Workload(
            name: "versions", suite: .log,
            summary: "105,000 rows, 1,000 durable commits of ten changes, and questions about them"
                + (doltlite == nil ? "; DoltLite is not there, and is skipped" : ""),
            goals: [
                .figure(name: "a row's history, ms", atMost: 10),
                .figure(name: "difference of two points, ms", atMost: 30),
            ]
                + (doltlite == nil ? [] : Versions.compared.map { .figureRatio(name: $0, atMost: 1, of: "doltlite") }),
            sides: [firn] + (doltlite.map { [$0] } ?? []))
    }
}

private struct Versions {
    private static let each = 10
    static let compared = [
        "a commit, ms", "a change, bytes", "first count as of, ms", "next counts as of, ms", "a row as of, ms",
        "a row's history, ms", "difference of two points, ms",
    ]
    private let trial: Trial
    private let rows: Int
    private let commits: Int

    init(_ trial: Trial) {
        self.trial = trial
        (rows, commits) = (trial.count(105_000), trial.count(1_000))
    }

    func run(inDoltLite python: URL) throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = python
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        process.arguments = [
            package.appendingPathComponent("history-in-doltlite.py").path, trial.folder.path, "\(rows)", "\(commits)",
        ]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let answer = try JSONDecoder().decode(Answer.self, from: data)
        trial.figures = answer.figures
        for row in answer.rows { trial.digest.add(row) }
        trial.add(seconds: (answer.figures["a commit, ms"] ?? 0) * Double(commits) / 1e3)
    }

    private struct Answer: Decodable {
        let figures: [String: Double]
        let rows: [Int64]
    }

    func run() throws {
        let container = try FirnItems.create(trial, durability: .synced)
        let context = container.newBackgroundContext()
        try FirnItems.insert(0..<rows, into: context)
        let before = try logSize()
        let ids = try trial.measure { try change(context) }
        trial.figures["a commit, ms"] = trial.seconds * 1e3 / Double(commits)
        trial.figures["a change, bytes"] = Double(try logSize() - before) / Double(commits * Self.each)

        let middle = commits / 2
        let row = middle * Self.each * 7_919 % rows + 1
        guard let object = ids[row] else { throw CocoaError(.featureUnsupported) }
        let counted = try milliseconds("first count as of, ms") { try count(asOf: record(middle), container) }
        let next = try (1...5).map { number in
            try timed { try count(asOf: record(middle + number), container) }.milliseconds
        }
        trial.figures["next counts as of, ms"] = next.sorted()[2]
        let found = try milliseconds("a row as of, ms") { try value(of: object, asOf: record(middle + 1), container) }
        let database = try RawDatabase(trial.path("firn.sqlite-history"))
        func answer(_ sql: String) throws -> Int64 {
            let statement = try database.prepare(sql)
            _ = try statement.step()
            return statement.integer(0)
        }
        let versions = try milliseconds("a row's history, ms") {
            try answer("SELECT count(DISTINCT a) FROM Item_history WHERE object_key = \(row)")
        }
        let difference = try milliseconds("difference of two points, ms") {
            try answer("SELECT count(*) FROM firn_changes WHERE record = \(record(middle + 1))")
        }
        for number in counted + [found, versions, difference] { trial.digest.add(number) }
    }

    /// The record of a commit: the first is the model, the second all rows.
    private func record(_ commits: Int) -> Int { commits + 2 }

    /// Returns the rows' identifiers.
    private func change(_ context: NSManagedObjectContext) throws -> [Int: NSManagedObjectID] {
        try context.performAndWait {
            context.reset()
            let request = NSFetchRequest<Item>(entityName: "Item")
            let items = Dictionary(uniqueKeysWithValues: try context.fetch(request).map { (Int($0.number), $0) })
            for number in 0..<commits {
                for index in 0..<Self.each {
                    items[(number * Self.each + index) * 7_919 % rows + 1]?.a = Int64(number)
                }
                try context.save()
            }
            return items.mapValues(\.objectID)
        }
    }

    private func count(asOf record: Int, _ container: NSPersistentContainer) throws -> [Int64] {
        let past = try container.newContext(asOf: .sequence(SequenceNumber(UInt64(record))))
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["count", "sum"].map { name in
            let description = NSExpressionDescription()
            description.name = name
            description.expression = NSExpression(
                forFunction: name + ":", arguments: [NSExpression(forKeyPath: "a")])
            description.expressionResultType = .integer64AttributeType
            return description
        }
        let found = try past.performAndWait { try past.fetch(request).first }
        return ["count", "sum"].map { found?[$0] as? Int64 ?? -1 }
    }

    private func value(
        of object: NSManagedObjectID, asOf record: Int, _ container: NSPersistentContainer
    ) throws -> Int64 {
        let past = try container.newContext(asOf: .sequence(SequenceNumber(UInt64(record))))
        return try past.performAndWait {
            let request = NSFetchRequest<Item>(entityName: "Item")
            request.predicate = NSPredicate(format: "SELF == %@", object)
            return try past.fetch(request).first?.a ?? -1
        }
    }

    private func logSize() throws -> Int {
        let log = try SegmentLog.open(directory: trial.path("firn.sqlite-log"), forWriting: false)
        defer { log.close() }
        return try LogBytes.count(log)
    }

    private func milliseconds<Value>(_ figure: String, _ body: () throws -> Value) throws -> Value {
        let (value, milliseconds) = try timed(body)
        trial.figures[figure] = milliseconds
        return value
    }

    private func timed<Value>(_ body: () throws -> Value) throws -> (value: Value, milliseconds: Double) {
        let start = ContinuousClock.now
        let value = try body()
        return (value, (ContinuousClock.now - start) / .milliseconds(1))
    }
}
