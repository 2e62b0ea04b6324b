import Firn
import FirnModel
import FirnSQLite
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// Section (d): aggregates of dictionary fetches, compared with SQL that is written by hand.
@Suite("Conformance (d): aggregates over to-one and to-many paths")
struct AggregateConformanceTests {
    private let directory: TemporaryDirectory
    private let byHand: Connection

    init() throws {
        directory = try TemporaryDirectory()
        byHand = try League.tables()
    }

    /// The kinds of stores, each with the same objects.
    private func contexts() throws -> [(name: String, context: NSManagedObjectContext)] {
        try [NSInMemoryStoreType, NSSQLiteStoreType, NSBinaryStoreType].map { type in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: League.model())
            _ = try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: directory.file("\(UUID()).\(type)"), options: nil)
            let context = coordinator.context()
            try League.fill(context)
            return (type, context)
        }
    }

    private func expect(
        _ aggregate: League.Aggregate, _ columns: [Any], groupedBy groups: [String]? = nil, having: String? = nil,
        where predicate: String? = nil, equals sql: String
    ) throws {
        let expected = try League.rows(byHand, sql)
        for (name, context) in try contexts() {
            let request = League.request(columns, groupedBy: groups)
            request.predicate = predicate.map { NSPredicate(format: $0) }
            request.havingPredicate = having.map { NSPredicate(format: $0) }
            let found = try context.fetch(request).map { League.text($0, columns) }.sorted()
            #expect(found == expected, "\(aggregate.expression) in the store \(name)")
        }
    }

    @Test("d.12 an aggregate of a group covers the members of all its objects", arguments: League.aggregates)
    func grouped(_ aggregate: League.Aggregate) throws {
        try expect(
            aggregate, ["name", aggregate.column], groupedBy: ["name"],
            equals: "SELECT t.name, \(aggregate.sql) FROM team t \(aggregate.joins) GROUP BY t.name")
    }

    @Test("d.12 groups of values behind a to-one relationship have aggregates too", arguments: League.aggregates)
    func groupedByPath(_ aggregate: League.Aggregate) throws {
        try expect(
            aggregate, ["captain.nick", aggregate.column], groupedBy: ["captain.nick"], where: "rank > 0",
            equals: "SELECT k.nick, \(aggregate.sql) FROM team t LEFT JOIN player k ON k.pk = t.captain "
                + "\(aggregate.joins) WHERE t.rank > 0 GROUP BY k.nick")
    }

    @Test("d.12 beside a value of all objects, an aggregate covers the members of all", arguments: League.aggregates)
    func ofAll(_ aggregate: League.Aggregate) throws {
        let count = League.column("all", "count:(SELF)")
        try expect(
            aggregate, [aggregate.column, count],
            equals: "SELECT \(aggregate.sql), count(DISTINCT t.pk) FROM team t \(aggregate.joins)")
    }

    @Test("d.12 without groups, an aggregate of members is that of each object", arguments: League.aggregates)
    func ofEach(_ aggregate: League.Aggregate) throws {
        guard aggregate.isOfMembers else { return }
        try expect(
            aggregate, ["name", "rank", aggregate.column],
            equals: "SELECT t.name, t.rank, \(aggregate.sql) FROM team t \(aggregate.joins) GROUP BY t.pk")
    }

    @Test("d.12 an aggregate of nothing is absent, but for a count and a sum", arguments: League.aggregates)
    func ofNothing(_ aggregate: League.Aggregate) throws {
        let count = League.column("all", "count:(SELF)")
        try expect(
            aggregate, [aggregate.column, count], where: "rank > 1000",
            equals: "SELECT \(aggregate.sql), count(DISTINCT t.pk) FROM team t \(aggregate.joins) WHERE t.rank > 1000")
    }

    @Test("d.12 a having predicate compares the aggregate of a group's members, by name and by function")
    func having() throws {
        let aggregate = League.Aggregate("sum:(players.n)", "coalesce(sum(p.n), 0)", League.players)
        for format in ["value > 12", "sum:(players.n) > 12", "players.@sum.n > 12"] {
            try expect(
                aggregate, ["name", aggregate.column], groupedBy: ["name"], having: format,
                equals: "SELECT t.name, \(aggregate.sql) FROM team t \(aggregate.joins) GROUP BY t.name "
                    + "HAVING sum(p.n) > 12")
        }
    }

    @Test("d.12 groups are sorted by the aggregate of their members", arguments: ["value", "players.@sum.n"])
    func sorted(_ key: String) throws {
        let columns = ["name", League.column("value", "sum:(players.n)")] as [Any]
        for (name, context) in try contexts() {
            let request = League.request(columns, groupedBy: ["name"])
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: false)]
            let values = try context.fetch(request).compactMap { ($0["value"] as? NSNumber)?.intValue }
            #expect(values == [13, 12, 5, 0], "\(name)")
        }
    }

    @Test("d.12 the median and the deviation of a group cover the members of all its objects")
    func statistics() throws {
        let columns = [
            "name", League.column("median", "median:(players.n)"), League.column("deviation", "stddev:(players.ratio)"),
        ] as [Any]
        for (name, context) in try contexts() {
            let request = League.request(columns, groupedBy: ["name"])
            request.predicate = NSPredicate(format: "name == 'a'")
            let row = try #require(try context.fetch(request).first)
            #expect((row["median"] as? NSNumber)?.doubleValue == 2, "\(name)")
            let deviation = try #require((row["deviation"] as? NSNumber)?.doubleValue)
            #expect(abs(deviation - (2.0 / 9).squareRoot()) < 1e-9, "\(name)")
        }
    }

    /// [FCD]
    @Test("d.12 aggregates are of what the stores have, whatever a context or its parent has changed")
    func unsaved() throws {
        let columns = ["name", League.column("value", "sum:(players.n)")] as [Any]
        for (name, context) in try contexts() {
            let request = League.request(columns, groupedBy: ["name"])
            let before = try context.fetch(request).map { League.text($0, columns) }.sorted()
            let team = context.make("Team", ["name": "a", "rank": 1])
            context.make("Player", ["n": 1000]).setValue(team, forKey: "team")
            for player in try context.all("Player") { player.setValue(7, forKey: "n") }
            context.delete(try context.all("Team")[0])
            let child = context.makeChild()
            _ = child.make("Team", ["name": "b", "rank": 1])
            for asked in [context, child] {
                #expect(try asked.fetch(request).map { League.text($0, columns) }.sorted() == before, "\(name)")
            }
        }
    }

    @Test(
        "d.12 an expression that reads one row of a group is refused",
        arguments: ["rank + 1", "uppercase:(captain.nick)", "TERNARY(ANY players.n > 1, 1, 2)", "SELF"])
    func ofOneRow(_ format: String) throws {
        let request = League.request(["name", League.column("value", format)], groupedBy: ["name"])
        for (_, context) in try contexts() {
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.localizedDescription.contains("propertiesToGroupBy") == true)
        }
    }

    @Test("d.12 what is computed of grouped values and of aggregates is a column")
    func computed() throws {
        let aggregate = League.Aggregate(
            "TERNARY(sum:(players.n) > 12, uppercase:(name), 'few')",
            "CASE WHEN sum(p.n) > 12 THEN upper(t.name) ELSE 'few' END", League.players)
        try expect(
            aggregate, ["name", aggregate.column], groupedBy: ["name"],
            equals: "SELECT t.name, \(aggregate.sql) FROM team t \(aggregate.joins) GROUP BY t.name")
    }

    @Test("d.12 an expression that is grouped by is a column, with values of its own")
    func groupedByExpression() throws {
        let column = League.column("half", "rank * 2")
        let request = League.request([column, League.column("value", "sum:(players.n)")], groupedBy: [column])
        let expected = try League.rows(
            byHand,
            "SELECT t.rank * 2, coalesce(sum(p.n), 0) FROM team t \(League.players) GROUP BY t.rank * 2")
        for (name, context) in try contexts() {
            let rows = try context.fetch(request).map { League.text($0, [column, "value"]) }
            #expect(rows.sorted() == expected, "\(name)")
        }
    }
}
