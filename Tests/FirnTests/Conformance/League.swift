import Firn
import FirnModel
import FirnSQLite
import Foundation
import Testing

import class FirnFoundation.NSExpression

/// Teams and players, as objects and as tables that are written by hand:
///
///     Team     name, rank     ──players──▶▶ Player    n, ratio, price, nick
///              captain ──▶ Player           ──tags──▶▶ Tag (◀◀──teams──)   weight
enum League {
    static let players = "LEFT JOIN player p ON p.team = t.pk"
    private static let tags = "LEFT JOIN tagged x ON x.team = t.pk LEFT JOIN tag g ON g.pk = x.tag"
    private static let captain = "LEFT JOIN player c ON c.pk = t.captain"

    /// A function of `NSExpression`, and the same in SQL over the tables that it joins.
    struct Aggregate: Sendable, CustomTestStringConvertible {
        let expression: String
        let sql: String
        let joins: String
        var testDescription: String { expression }

        init(_ expression: String, _ sql: String, _ joins: String) {
            (self.expression, self.sql, self.joins) = (expression, sql, joins)
        }

        var column: NSExpressionDescription { League.column("value", expression) }
        /// Whether it begins at a to-many relationship, so that each object has a value.
        var isOfMembers: Bool { !joins.isEmpty && joins != League.captain }
    }

    static let aggregates: [Aggregate] = {
        var found: [Aggregate] = []
        for (path, column, joins) in [
            ("players.n", "p.n", players), ("players.ratio", "p.ratio", players), ("players.price", "p.price", players),
            ("tags.weight", "g.weight", tags), ("captain.n", "c.n", captain), ("rank", "t.rank", ""),
            (
                "captain.team.players.n", "o.n",
                captain + " LEFT JOIN team u ON u.pk = c.team LEFT JOIN player o ON o.team = u.pk"
            ),
            (
                "tags.teams.rank", "u.rank",
                tags + " LEFT JOIN tagged y ON y.tag = g.pk LEFT JOIN team u ON u.pk = y.team"
            ),
        ] {
            found += [
                Aggregate("count:(\(path))", "count(\(column))", joins),
                Aggregate("sum:(\(path))", "coalesce(sum(\(column)), 0)", joins),
                Aggregate("average:(\(path))", "avg(\(column))", joins),
                Aggregate("min:(\(path))", "min(\(column))", joins),
                Aggregate("max:(\(path))", "max(\(column))", joins),
            ]
        }
        return found + [
            Aggregate("count:(players)", "count(p.pk)", players),
            Aggregate("players.@count", "count(p.pk)", players),
            Aggregate("players[SIZE]", "count(p.pk)", players),
            Aggregate("players.@sum.n", "coalesce(sum(p.n), 0)", players),
            Aggregate("players.@avg.n", "avg(p.n)", players),
            Aggregate("players.@min.n", "min(p.n)", players),
            Aggregate("players.@max.n", "max(p.n)", players),
            Aggregate("tags.@count", "count(g.pk)", tags),
            Aggregate("min:(players.nick)", "min(p.nick)", players),
            Aggregate("max:(players.nick)", "max(p.nick)", players),
            Aggregate("max:(name)", "max(t.name)", ""),
            Aggregate("count:(SELF)", "count(t.pk)", ""),
            Aggregate("players.@sum.n + 1", "coalesce(sum(p.n), 0) + 1", players),
            Aggregate("SUBQUERY(players, $p, $p.n > 1).@count", "count(p.pk)", players + " AND p.n > 1"),
            Aggregate("SUBQUERY(players, $p, $p.n > SELF.rank).@count", "count(p.pk)", players + " AND p.n > t.rank"),
            Aggregate("count:(SUBQUERY(players, $p, $p.n > 1))", "count(p.pk)", players + " AND p.n > 1"),
        ]
    }()

    static func column(_ name: String, _ format: String) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        return description
    }

    static func request(_ columns: [Any], groupedBy groups: [Any]?) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Team")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = groups
        return request
    }

    /// A dictionary in the order of its columns. Numbers are compared as such, whatever their type.
    static func text(_ row: NSDictionary, _ columns: [Any]) -> String {
        columns.map { column in
            switch row[(column as? NSExpressionDescription)?.name ?? column] {
            case let number as NSNumber: text(number.doubleValue)
            case let value?: "\(value)"
            case nil: "nothing"
            }
        }.joined(separator: "|")
    }

    private static func text(_ number: Double) -> String { String(format: "%.9g", number) }

    /// The rows that a statement of the tables gives, as `text` has them.
    static func rows(_ tables: Connection, _ sql: String) throws -> [String] {
        try tables.withStatement(sql) { statement in
            var rows: [String] = []
            while try statement.step() {
                rows.append(
                    (0..<Int32(statement.columnCount)).map { index in
                        switch statement.storageClass(index) {
                        case .null: "nothing"
                        case .integer, .real: text(statement.real(index))
                        default: statement.text(index)
                        }
                    }.joined(separator: "|"))
            }
            return rows.sorted()
        }
    }

    static func model() -> NSManagedObjectModel {
        let player = ModelSketch.entity(
            "Player",
            [
                ModelSketch.attribute("nick"), ModelSketch.attribute("n", .integer32AttributeType),
                ModelSketch.attribute("ratio", .doubleAttributeType),
                ModelSketch.attribute("price", .decimalAttributeType),
            ])
        let team = ModelSketch.entity(
            "Team", [ModelSketch.attribute("name"), ModelSketch.attribute("rank", .integer32AttributeType)])
        let tag = ModelSketch.entity("Tag", [ModelSketch.attribute("weight", .integer32AttributeType)])
        ModelSketch.relate(team, "players", toMany: player, "team")
        ModelSketch.relate(player, "led", toMany: team, "captain")
        ModelSketch.relate(team, "tags", toMany: tag, "teams").inverseRelationship?.maxCount = 0
        return ModelSketch.model(team, player, tag)
    }

    /// By team: name, rank, the players' numbers, the captain's nick, the tags' weights.
    private static let teams: [(name: String?, rank: Int, players: [Int?], captain: String?, tags: [Int])] = [
        ("a", 1, [1, 2], "1", [5, 6]), ("a", 2, [10], "1", [6]), ("b", 1, [7, nil, 5], "7", [6]), ("c", 3, [], nil, []),
        (nil, 0, [5], "10", [9]),
    ]

    static func fill(_ context: NSManagedObjectContext) throws {
        var (players, tags): ([String: NSManagedObject], [Int: NSManagedObject]) = ([:], [:])
        for row in teams {
            let team = context.make("Team", ["rank": row.rank])
            team.setValue(row.name, forKey: "name")
            for n in row.players {
                let player = context.make("Player", ["nick": n.map(String.init) ?? "none"])
                player.setValue(n, forKey: "n")
                player.setValue(n.map { Double($0 % 2) }, forKey: "ratio")
                player.setValue(n.map { Decimal($0) / 4 }, forKey: "price")
                player.setValue(team, forKey: "team")
                if let n, players["\(n)"] == nil { players["\(n)"] = player }
            }
            let own = row.tags.map { weight in
                if let tag = tags[weight] { return tag }
                let tag = context.make("Tag", ["weight": weight])
                tags[weight] = tag
                return tag
            }
            team.setValue(NSSet(array: own), forKey: "tags")
            team.setValue(row.captain.flatMap { players[$0] }, forKey: "captain")
        }
        try context.save()
    }

    static func tables() throws -> Connection {
        let tables = try Connection(.memory)
        try tables.execute(
            """
            CREATE TABLE team (pk INTEGER PRIMARY KEY, name TEXT, rank INTEGER, captain INTEGER);
            CREATE TABLE player (pk INTEGER PRIMARY KEY, nick TEXT, n INTEGER, ratio REAL, price REAL, team INTEGER);
            CREATE TABLE tag (pk INTEGER PRIMARY KEY, weight INTEGER);
            CREATE TABLE tagged (team INTEGER, tag INTEGER);
            INSERT INTO team VALUES (1, 'a', 1, 1), (2, 'a', 2, 1), (3, 'b', 1, 4), (4, 'c', 3, NULL), (5, NULL, 0, 3);
            INSERT INTO player VALUES (1, '1', 1, 1, 0.25, 1), (2, '2', 2, 0, 0.5, 1), (3, '10', 10, 0, 2.5, 2),
                (4, '7', 7, 1, 1.75, 3), (5, 'none', NULL, NULL, NULL, 3), (6, '5', 5, 1, 1.25, 3),
                (7, '5', 5, 1, 1.25, 5);
            INSERT INTO tag VALUES (5, 5), (6, 6), (9, 9);
            INSERT INTO tagged VALUES (1, 5), (1, 6), (2, 6), (3, 6), (5, 9);
            """)
        return tables
    }
}
