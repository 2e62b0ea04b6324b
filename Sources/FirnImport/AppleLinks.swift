import FirnLog
import FirnProjection
import FirnSQLite

/// The members of relationships that Apple's stores keep in a table of pairs, by the step of the `ImportTimeline` at
/// which the import adds them: many-to-many ones, and to-many ones without an inverse.
///
/// The step is the earliest that is certain. A member cannot have come before both objects were there, and it has been
/// there since an update last wrote the relationship on either side.
struct AppleLinks {
    private var byStep: [Int: [LinkGroup]] = [:]
    private(set) var count = 0

    init(rows: AppleRowReader, timeline: ImportTimeline) throws {
        for place in rows.layout.links {
            var groups: [Int: LinkGroup] = [:]
            var strayCount = 0
            // Of a relationship that is its own inverse each side is a link, and the table may have a pair both ways.
            var seen: Set<[ObjectKey]> = []
            func add(_ link: Link) {
                guard !place.isReflexive || seen.insert([link.source, link.destination]).inserted else { return }
                var step = max(timeline.arrival(link.source), timeline.arrival(link.destination))
                step = max(step, timeline.lastWritten(link.source, place.slot))
                if let inverse = place.inverseSlot {
                    step = max(step, timeline.lastWritten(link.destination, inverse))
                }
                groups[step, default: LinkGroup(entity: place.entity, slot: UInt16(place.slot))].added.append(link)
                count += 1
            }
            for pair in try Self.pairs(place, rows.connection) {
                guard let source = try rows.key(pair.source, in: place.sourceTable),
                    let destination = try rows.key(pair.destination, in: place.destinationTable)
                else {
                    strayCount += 1
                    continue
                }
                add(Link(
                    source: source, destination: destination, sourceOrder: pair.sourceOrder,
                    destinationOrder: pair.destinationOrder))
                if place.isReflexive, source != destination {
                    add(Link(source: destination, destination: source, sourceOrder: pair.destinationOrder))
                }
            }
            for (step, group) in groups { byStep[step, default: []].append(group) }
            if strayCount > 0 {
                rows.addNote("\(strayCount) members in \(place.table) are of objects that are gone; they are left out")
            }
        }
        for step in byStep.keys { byStep[step]?.sort { ($0.entity, $0.slot) < ($1.entity, $1.slot) } }
    }

    func groups(at step: Int) -> [LinkGroup] { byStep[step] ?? [] }

    private typealias Pair = (source: Int64, destination: Int64, sourceOrder: Int64, destinationOrder: Int64)

    private static func pairs(_ place: AppleLinkPlace, _ connection: Connection) throws -> [Pair] {
        let table = quoted(place.table)
        let (source, destination) = (quoted(place.sourceColumn), quoted(place.destinationColumn))
        // The greatest position becomes 0: those that later saves give are greater, so new members come last.
        func order(_ column: String?) -> String {
            guard let column = column.map(quoted) else { return "0" }
            return "coalesce(\(column), 0) - (SELECT coalesce(max(\(column)), 0) FROM \(table))"
        }
        let sql = "SELECT \(source), \(destination), \(order(place.sourceOrderColumn)), "
            + "\(order(place.destinationOrderColumn)) FROM \(table) "
            + "WHERE \(source) NOT NULL AND \(destination) NOT NULL ORDER BY 1, 2"
        return try connection.withStatement(sql) { statement in
            var pairs: [Pair] = []
            while try statement.step() {
                pairs.append(
                    (statement.integer(0), statement.integer(1), statement.integer(2), statement.integer(3)))
            }
            return pairs
        }
    }
}
