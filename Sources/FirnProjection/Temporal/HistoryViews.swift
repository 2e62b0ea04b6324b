internal import FirnLog

/// The views that show versions to any SQLite, without functions of ours. `Documentation/Format.md` describes them.
///
///     firn_versions_Book   each version, and a copy for every later era that began while it was valid
///     Book_history         each version once, from the record that made it to the one that ended it
///     Book_now             the versions that are valid
///     Book_changes         each change of a value, with the value before
///     Book_authors_history, Book_authors_now     members that are in a link table
///     firn_changes         the changes of all entities
///     firn_objects         every object that there ever was, with its name
struct HistoryViews {
    private let layout: TableLayout
    private var names = NameRegister()
    private(set) var views: [HistoryView] = []

    /// Names are given by the entities' numbers, so that clashing ones get the same replacement each time.
    init(_ layout: TableLayout) {
        self.layout = layout
        let places = layout.places.compactMap(\.self)
        let named = places.map { place in
            (place, HistoryView.ViewKind.ofEntities.map { (name(place.name, $0, place), $0) })
        }
        for (place, kinds) in named {
            for (name, kind) in kinds { add(name, kind, place, sql(kind, place, named)) }
        }
        for place in places { addMembers(of: place) }
        add("firn_changes", .changes, nil, union(places, named))
        add("firn_objects", .objects, nil, objects())
    }

    var definitions: [String] { views.map(\.definition) }

    private typealias NamedViews = [(EntityPlace, [(String, HistoryView.ViewKind)])]

    private mutating func name(_ base: String, _ kind: HistoryView.ViewKind, _ place: EntityPlace) -> String {
        names.register("\(base)_\(kind.rawValue)", elsePrefix: "E\(place.number.rawValue)")
    }

    private mutating func add(_ name: String, _ kind: HistoryView.ViewKind, _ place: EntityPlace?, _ select: String) {
        views.append(HistoryView(name: name, kind: kind, entity: place?.name, select: select))
    }

    private func sql(_ kind: HistoryView.ViewKind, _ place: EntityPlace, _ named: NamedViews) -> String {
        switch kind {
        case .history: versions(of: place, isPresent: false)
        case .now: versions(of: place, isPresent: true)
        case .changes, .objects: changes(of: place, named)
        }
    }
}

extension TableLayout {
    /// The views of a history file.
    package var historyViews: [HistoryView] { HistoryViews(self).views }
}

/// A view of the history, for people.
package struct HistoryView: Sendable {
    package enum ViewKind: String, Sendable {
        case history
        case now
        case changes
        case objects

        static let ofEntities = [ViewKind.history, .now, .changes]
        static let ofMembers = [ViewKind.history, .now]
    }

    package var name: String
    package var kind: ViewKind
    /// The entity whose objects it shows; nil if it shows those of all.
    package var entity: String?
    var select: String

    var definition: String { "CREATE VIEW \(quoted(name)) AS \(select)" }
}

/// Views of rows.
extension HistoryViews {
    /// The columns that every such view begins with, besides `to_record`.
    private static let heads = ["object_key", "entity", "from_record", "to_record", "set_by", "set_at"]

    private static let author = "coalesce(r.author, r.process)"

    private func versions(of place: EntityPlace, isPresent: Bool) -> String {
        let table = TableLayout.versions(of: place.tableName)
        let head =
            ["v.Z_PK AS object_key", "\(entity("v.Z_ENT", place.subtree)) AS entity", "v.Z_FROM AS from_record"]
            + (isPresent ? [] : ["\(Self.end(table, ["Z_PK"])) AS to_record"])
            + ["\(Self.author) AS set_by", "r.date AS set_at"]
        return "SELECT " + (head + properties(of: place)).joined(separator: ", ")
            + " FROM \(table) v LEFT JOIN firn_records r ON r.number = v.Z_FROM"
            + " WHERE \(isPresent ? Self.isPresent(place.table) : Self.isOriginal)\(place.entityCondition("v"))"
    }

    /// The version that a record made, and not one of its copies in later eras. A version that the record ended itself
    /// was never valid.
    private static let isOriginal = "v.Z_COPY = 0 AND v.Z_TO > v.Z_FROM"

    private static func isPresent(_ place: Int) -> String {
        "v.Z_ID >= (SELECT max(first) FROM firn_eras WHERE place = \(place)) AND v.Z_TO = \(VersionWriter.open)"
    }

    /// The record that ended the version `v`; NULL if none has. A version that was valid at the end of its era was
    /// copied into the next one, and so on, until it ended: the first of its object to do so after it was made.
    private static func end(_ table: String, _ key: [String]) -> String {
        "CASE WHEN v.Z_TO < \(VersionWriter.open) THEN v.Z_TO ELSE (SELECT min(c.Z_TO) FROM \(table) c "
            + "WHERE \(isSame("c", key)) AND c.Z_TO > v.Z_FROM AND c.Z_TO < \(VersionWriter.open)) END"
    }

    private static func isSame(_ alias: String, _ key: [String], as other: String = "v") -> String {
        key.map { "\(alias).\($0) = \(other).\($0)" }.joined(separator: " AND ")
    }

    /// The record that made the version behind `alias`, of the same object; NULL if none did.
    static func next(_ alias: String, _ table: String, _ key: [String]) -> String {
        "(SELECT n.Z_FROM FROM \(table) n WHERE \(isSame("n", key, as: alias)) AND n.Z_TO > \(alias).Z_TO "
            + "AND n.Z_ID > \(alias).Z_ID ORDER BY n.Z_TO LIMIT 1)"
    }

    /// The name of a concrete entity.
    private func entity(_ column: String, _ possible: [EntityNumber]) -> String {
        if possible.count == 1, let place = layout.place(possible[0]) { return sqlText(place.name) }
        return "(SELECT name FROM firn_entities WHERE number = \(column))"
    }

    /// The columns of an entity's properties, under the properties' names.
    private func properties(of place: EntityPlace) -> [String] {
        var names = NameRegister()
        for head in Self.heads { _ = names.registerReserved(head) }
        let prefix = "E\(place.root.rawValue)"
        return place.slots.flatMap { slot -> [String] in
            guard let column = slot.column else { return [] }
            if case .position(let owner) = slot.kind {
                let name = names.register(place.slots[Int(owner)].name + "_position", elsePrefix: prefix)
                return ["v.\(quoted(column)) AS \(quoted(name))"]
            }
            let name = names.register(slot.name, elsePrefix: prefix)
            let value = "\(slot.kind.shown("v.\(quoted(column))")) AS \(quoted(name))"
            guard let concrete = slot.entityColumn else { return [value] }
            let entity = names.register(slot.name + "_entity", elsePrefix: prefix)
            return [
                value,
                "(SELECT name FROM firn_entities WHERE number = v.\(quoted(concrete))) AS \(quoted(entity))",
            ]
        }
    }
}

/// Views of members.
extension HistoryViews {
    /// Of the relationships that an entity declares and whose members are in a link table, from each side.
    private mutating func addMembers(of place: EntityPlace) {
        let inherited = place.parent.flatMap { layout.place($0)?.slots.count } ?? 0
        for slot in place.slots.dropFirst(inherited) {
            guard let link = slot.link, let destination = slot.destination.flatMap(layout.place) else { continue }
            for kind in HistoryView.ViewKind.ofMembers {
                let name = name("\(place.name)_\(slot.name)", kind, place)
                add(name, kind, place, members(link, place, destination, isPresent: kind == .now))
            }
        }
    }

    private func members(
        _ link: LinkPlace, _ owner: EntityPlace, _ member: EntityPlace, isPresent: Bool
    ) -> String {
        let described = layout.links[link.table]
        let table = TableLayout.versions(of: described.name)
        let place = layout.tables.count + link.table
        let (near, far) = link.isCanonical ? ("SRC", "DST") : ("DST", "SRC")
        let hasOrder = link.isCanonical ? described.hasSourceOrder : described.hasDestinationOrder
        let columns = [
            "v.Z_\(near) AS object_key", "\(entity("v.Z_\(near)_ENT", owner.subtree)) AS entity",
            "v.Z_\(far) AS member_key", "\(entity("v.Z_\(far)_ENT", member.subtree)) AS member_entity",
            "v.Z_FROM AS from_record",
        ] + (isPresent ? [] : ["\(Self.end(table, Self.pair)) AS to_record"])
            + ["\(Self.author) AS set_by", "r.date AS set_at"] + (hasOrder ? ["v.Z_\(near)_ORD AS position"] : [])
        return "SELECT \(columns.joined(separator: ", ")) FROM \(table) v LEFT JOIN firn_records r "
            + "ON r.number = v.Z_FROM WHERE \(isPresent ? Self.isPresent(place) : Self.isOriginal)"
    }

    private static let pair = ["Z_SRC", "Z_DST"]
}

/// Views of changes.
extension HistoryViews {
    private func changes(of place: EntityPlace, _ named: NamedViews) -> String {
        if place.isWholeTable { return changes(of: layout.tables[place.table], at: place) }
        let entities = place.subtree.compactMap { layout.place($0).map { sqlText($0.name) } }
        return "SELECT * FROM \(changesName(of: place.root, named)) "
            + "WHERE entity IN (\(entities.joined(separator: ", ")))"
    }

    private func changesName(of root: EntityNumber, _ named: NamedViews) -> String {
        let kinds = named.first { $0.0.number == root }?.1
        return quoted(kinds?.first { $0.1 == .changes }?.0 ?? "")
    }

    private func union(_ places: [EntityPlace], _ named: NamedViews) -> String {
        let roots = places.filter { $0.number == $0.root }.map { "SELECT * FROM \(changesName(of: $0.number, named))" }
        return roots.isEmpty ? Self.noChanges : roots.joined(separator: " UNION ALL ")
    }

    private static let noChanges = """
        SELECT 0 AS record, '' AS set_at, '' AS set_by, '' AS entity, 0 AS object_key, '' AS property, \
        '' AS operation, NULL AS old, NULL AS new WHERE 0
        """

    private static func change(
        _ record: String, _ entity: String, _ key: String, _ property: String, _ operation: String, _ old: String,
        _ new: String
    ) -> String {
        "SELECT \(record) AS record, r.date AS set_at, \(author) AS set_by, \(entity) AS entity, "
            + "\(key) AS object_key, \(property) AS property, \(operation) AS operation, \(old) AS old, \(new) AS new"
    }

    /// In the history file, versions begin to be complete with the record after this one.
    private static let start = "(SELECT start FROM firn_history)"

    private func changes(of table: Table, at root: EntityPlace) -> String {
        let versions = TableLayout.versions(of: table.name)
        let columns = changeColumns(of: table)
        var parts: [String] = []
        if !columns.isEmpty {
            let differs = columns.map { "WHEN \($0.number) THEN o.\($0.name) IS NOT v.\($0.name)" }
            let (old, new) = (Self.values("o", columns), Self.values("v", columns))
            let isSet = "p.\"column\" IS NOT NULL"
            parts = [
                Self.change(
                    "v.Z_FROM", entity("v.Z_ENT", root.subtree), "v.Z_PK", "p.name",
                    "CASE WHEN o.Z_PK IS NULL THEN 'insert' ELSE 'update' END", old, new)
                    + " FROM \(versions) v LEFT JOIN \(versions) o ON "
                    + "o.Z_PK = v.Z_PK AND o.Z_TO = v.Z_FROM AND o.Z_FROM < v.Z_FROM "
                    + "CROSS JOIN firn_properties p LEFT JOIN firn_records r ON r.number = v.Z_FROM "
                    + "WHERE \(Self.isOriginal) AND v.Z_FROM > \(Self.start) AND p.entity = v.Z_ENT AND \(isSet) "
                    + "AND CASE p.\"column\" \(differs.joined(separator: " ")) END",
                Self.change(
                    "o.Z_TO", entity("o.Z_ENT", root.subtree), "o.Z_PK", "p.name", "'delete'", old, "NULL")
                    + " FROM \(versions) o CROSS JOIN firn_properties p LEFT JOIN firn_records r ON r.number = o.Z_TO "
                    + "WHERE o.Z_TO < \(VersionWriter.open) AND o.Z_TO > o.Z_FROM "
                    + "AND \(Self.next("o", versions, ["Z_PK"])) IS NOT o.Z_TO "
                    + "AND p.entity = o.Z_ENT AND \(isSet) AND \(Self.values("o", columns, isRaw: true)) IS NOT NULL",
            ]
        }
        for link in layout.links where table.entities.contains(link.property.entity) { parts += changes(of: link) }
        return parts.isEmpty ? Self.noChanges : parts.joined(separator: " UNION ALL ")
    }

    /// A member that only moved is no change here.
    private func changes(of link: LinkTable) -> [String] {
        guard let source = layout.place(link.property.entity) else { return [] }
        let versions = TableLayout.versions(of: link.name)
        let entity = entity("v.Z_SRC_ENT", source.subtree)
        let property = sqlText(source.slots[link.property.slot].name)
        let from = " FROM \(versions) v LEFT JOIN firn_records r ON r.number = "
        return [
            Self.change("v.Z_FROM", entity, "v.Z_SRC", property, "'add'", "NULL", "v.Z_DST")
                + from + "v.Z_FROM WHERE \(Self.isOriginal) AND v.Z_FROM > \(Self.start) "
                + "AND NOT EXISTS (SELECT 1 FROM \(versions) n WHERE \(Self.isSame("n", Self.pair)) "
                + "AND n.Z_TO = v.Z_FROM AND n.Z_FROM < v.Z_FROM)",
            Self.change("v.Z_TO", entity, "v.Z_SRC", property, "'remove'", "v.Z_DST", "NULL")
                + from + "v.Z_TO WHERE v.Z_TO < \(VersionWriter.open) AND v.Z_TO > v.Z_FROM "
                + "AND \(Self.next("v", versions, Self.pair)) IS NOT v.Z_TO",
        ]
    }

    /// A column of values, with its number in `firn_properties`.
    private struct ChangeColumn {
        var number: Int
        /// Quoted.
        var name: String
        var kind: LogProperty.Kind
    }

    private func changeColumns(of table: Table) -> [ChangeColumn] {
        var kinds: [String: LogProperty.Kind] = [:]
        for slot in table.entities.flatMap({ layout.place($0)?.slots ?? [] }) where slot.isShownAsChange {
            if let column = slot.column { kinds[column] = slot.kind }
        }
        return table.columns.enumerated().compactMap { number, column in
            kinds[column.name].map { ChangeColumn(number: number, name: quoted(column.name), kind: $0) }
        }
    }

    private static func values(_ alias: String, _ columns: [ChangeColumn], isRaw: Bool = false) -> String {
        let cases = columns.map { column in
            let value = "\(alias).\(column.name)"
            return "WHEN \(column.number) THEN \(isRaw ? value : column.kind.shown(value))"
        }
        return "CASE p.\"column\" \(cases.joined(separator: " ")) END"
    }
}

/// The view of all objects.
extension HistoryViews {
    private func objects() -> String {
        let parts = layout.tables.compactMap { table -> String? in
            guard let root = layout.place(table.root) else { return nil }
            let versions = TableLayout.versions(of: table.name)
            return "SELECT \(entity("v.Z_ENT", root.subtree)) AS entity, o.object_key AS object_key, "
                + "\(title(of: table)) AS name, o.first_record AS first_record, o.last_record AS last_record, "
                + "\(Self.end(versions, ["Z_PK"])) AS deleted_by_record FROM "
                + "(SELECT v.Z_PK AS object_key, min(v.Z_FROM) AS first_record, max(v.Z_FROM) AS last_record, "
                + "max(v.Z_ID) AS last FROM \(versions) v WHERE \(Self.isOriginal) GROUP BY v.Z_PK) o "
                + "CROSS JOIN \(versions) v WHERE v.Z_ID = o.last"
        }
        if parts.isEmpty { return "SELECT '' AS entity, 0 AS object_key, '' AS name WHERE 0" }
        return parts.joined(separator: " UNION ALL ")
    }

    /// People know an object by the first of these attributes that has a value.
    private static let titles = ["displayname", "name", "title", "number", "identifier"]

    private func title(of table: Table) -> String {
        let slots = table.entities.flatMap { layout.place($0)?.slots ?? [] }
        let columns = Self.titles.flatMap { title in
            slots.filter { slot in
                if case .attribute = slot.kind { slot.name.lowercased() == title } else { false }
            }.compactMap(\.column)
        }
        var seen: Set<String> = []
        let values = columns.filter { seen.insert($0).inserted }.map { "nullif(v.\(quoted($0)), '')" }
        return values.isEmpty ? "NULL" : values.count == 1 ? values[0] : "coalesce(\(values.joined(separator: ", ")))"
    }
}

extension LogProperty.Kind {
    /// An expression for a value as people read it: dates as ISO 8601 in UTC, UUIDs as texts. A date outside of the
    /// years 0 to 9999 stays as it is stored: in seconds since 2001.
    fileprivate func shown(_ value: String) -> String {
        switch self {
        case .attribute(.date):
            let text = "strftime('%Y-%m-%dT%H:%M:%fZ', \(value) + 978307200, 'unixepoch')"
            return "CASE typeof(\(value)) WHEN 'real' THEN coalesce(\(text), \(value)) ELSE \(value) END"
        case .attribute(.uuid):
            let ends = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)]
            let parts = ends.map { "substr(hex(\(value)), \($0), \($1))" }.joined(separator: " || '-' || ")
            return "CASE length(\(value)) WHEN 16 THEN \(parts) ELSE \(value) END"
        default: return value
        }
    }
}

extension SlotPlace {
    /// Whether the property has values, and not only a position.
    fileprivate var isShownAsChange: Bool {
        switch kind {
        case .attribute, .toOne: column != nil
        case .toMany, .position, .transient: false
        }
    }
}
