#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird

/// The page that shows what undoing a record, or putting an object back, would do, with the button that does it.
struct RevertPages: Sendable {
    /// How far back a revert looks for the record that it made.
    private static let searchMax: UInt64 = 100

    let store: ServedStore
    let records: RecordRoutes
    let queries: QueryRunner
    let reverter: Reverter
    let pages: PageLibrary

    /// Objects whose changes are shown.
    private static let cardMax = 100
    /// The approximate bytes of the changes that are shown.
    private static let cardSizeMax = 60_000
    /// Members of one relationship that are named.
    private static let memberMax = 10
    private static let obstacleMax = 50

    private struct Card {
        let kind: String
        let sign: String
        let word: String
        let object: String
        /// Nil for an object that is still to be made. A name that no outer value has: templates look a missing one up
        /// further out.
        let objectHref: String?
        let properties: [Property]
        let hasProperties: Bool

        /// The approximate bytes on the page.
        var size: Int {
            properties.reduce(200) { size, property in
                let texts = [property.old, property.new].compactMap { $0 }.map { PageText.size($0.unicodeScalars) }
                return size + texts.reduce(0, +) + 150 + property.members.count * 180
            }
        }

        init(_ change: Reversal.Change, _ pages: PageLibrary) {
            (kind, sign, word) =
                switch change.kind {
                case .insert: ("added", "+", "is created")
                case .update: ("changed", "~", "changes")
                case .delete: ("removed", "−", "is deleted")
                }
            object = change.object
            objectHref = RevertPages.link(change.object, pages)
            properties = change.properties.map { Property($0, pages) }
            hasProperties = !properties.isEmpty
        }
    }

    private struct Property {
        private static let textMax = 500

        let name: String
        /// The value before and after; nil for none.
        let old: String?
        let new: String?
        let members: [Member]
        /// The number of the members that are not named.
        let rest: String?

        init(_ property: Reversal.Change.Property, _ pages: PageLibrary) {
            name = property.name
            guard let change = property.members else {
                (old, new) = (property.old.map(Self.cut), property.new.map(Self.cut))
                (members, rest) = ([], nil)
                return
            }
            old = Self.count(change.oldCount)
            let isReordered = property.new != nil && change.added.isEmpty && change.removed.isEmpty
            new = Self.count(change.newCount) + (isReordered ? ", in another order" : "")
            let all = change.removed.map { Member("unlink", "−", "removed", $0, pages) }
                + change.added.map { Member("link", "+", "added", $0, pages) }
            members = Array(all.prefix(RevertPages.memberMax))
            rest = all.count > members.count ? "and \(all.count - members.count) more" : nil
        }

        private static func cut(_ text: String) -> String { PageText.cut(text, textMax) }

        private static func count(_ count: Int) -> String {
            count == 0 ? "no members" : Counted.text(count, "member")
        }
    }

    /// A member that comes or goes.
    private struct Member {
        let kind: String
        let sign: String
        let word: String
        let member: String
        let memberHref: String?

        init(_ kind: String, _ sign: String, _ word: String, _ name: String, _ pages: PageLibrary) {
            (self.kind, self.sign, self.word, member) = (kind, sign, word, name)
            memberHref = RevertPages.link(name, pages)
        }
    }

    /// Why it cannot be done, with the object in the way as a link to what happened to it.
    private struct Obstacle {
        let before: String
        let object: String
        let link: String?
        let after: String

        /// The reasons, one for all properties of an object.
        static func all(_ obstacles: [Reversal.Obstacle], _ pages: PageLibrary) -> [Obstacle] {
            var properties: [String: [String]] = [:]
            for obstacle in obstacles {
                guard let object = obstacle.object, let property = obstacle.property else { continue }
                properties[object, default: []].append(property)
            }
            return obstacles.compactMap { obstacle in
                guard let object = obstacle.object else {
                    return Obstacle(before: obstacle.text, object: "", link: nil, after: "")
                }
                let link = RevertPages.link(object, pages)
                guard let property = obstacle.property else {
                    return Obstacle(before: "", object: object, link: link, after: " was deleted later")
                }
                guard let all = properties[object], all.first == property else { return nil }
                return Obstacle(
                    before: all.joined(separator: ", ") + " of ", object: object,
                    link: link.map { all.count > 1 ? $0 : $0 + "?property=" + QueryParameters.encoded(property) },
                    after: all.count > 1 ? " were changed later" : " was changed later")
            }
        }
    }

    /// The page of an object that is in the store; nil for a new one.
    private static func link(_ object: String, _ pages: PageLibrary) -> String? {
        (try? ObjectName(object)) == nil ? nil : pages.object(object)
    }

    /// `deletes 1 Book; changes 2 Reader, 1 Writer`
    private static func sums(_ changes: [Reversal.Change]) -> String {
        let verbs: [(Reversal.Change.Kind, String)] = [
            (.insert, "creates"), (.update, "changes"), (.delete, "deletes"),
        ]
        return verbs.compactMap { kind, verb in
            let counts = Dictionary(grouping: changes.filter { $0.kind == kind }, by: \.entity).mapValues(\.count)
            let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            return parts.isEmpty ? nil : verb + " " + parts.joined(separator: ", ")
        }.joined(separator: "; ")
    }

    /// The thing to put back, and how its page names it.
    struct Subject {
        let target: Reversal.Target
        let title: String
        /// The page that led here, and its name.
        let back: String
        let place: String
        /// The page of the menu.
        let view: String
        /// The address that does it.
        let action: String
    }

    /// Shows what would be done. Nothing is written.
    func preview(_ subject: Subject) async throws -> Response {
        let outcome = try await queries.run { [reverter] _ in try reverter.preview(subject.target) }
        var response = page(subject, outcome, status: .ok)
        // Without a referrer a browser says of the form that follows that it comes from nowhere.
        response.headers[.referrerPolicy] = "same-origin"
        return response
    }

    /// Does it, and leads to the record that says so.
    func revert(_ subject: Subject) async throws -> Response {
        let outcome = try await queries.run { [reverter] _ in try reverter.revert(subject.target) }
        guard outcome.obstacles.isEmpty else { return page(subject, outcome, status: .conflict) }
        let made = try store.described { try newest(Reverter.contextName(subject.target)) }
        return Response(
            status: .seeOther, headers: [.location: made.map { pages.record($0.rawValue) } ?? pages.base + "/"])
    }

    /// A record, whose changes are undone.
    func record(_ request: Request, number: String) async throws -> Subject {
        _ = try QueryParameters(request, single: [], isForm: true)
        let record = try await records.record(number)
        let number = record.sequence.rawValue
        guard case .changes = record.body else {
            throw RequestFailure(
                .conflict, "record \(number) has no changes of objects", remedy: "revert another record")
        }
        return Subject(
            target: .record(record), title: "Revert record \(number)", back: "Record \(number)",
            place: pages.record(number), view: "/", action: pages.record(number) + "/revert")
    }

    /// An object, or one of its properties, which becomes as it was after a record.
    func object(_ request: Request, entity: String, key: String) async throws -> Subject {
        let parameters = try QueryParameters(request, single: ["to", "property"], isForm: true)
        let name = try store.described { try ObjectName("\(entity)/\(key)") }
        let property = parameters["property"]
        _ = try store.described { try store.filter(author: nil, entity: name.entity, property: property) }
        guard let sequence = try parameters.point("to").map(store.state(at:)) else {
            throw RequestFailure.badRequest("to is missing", remedy: "name the record, as in ?to=7")
        }
        let place = pages.object(name.text)
        return Subject(
            target: .object(name, property: property, sequence: sequence),
            title: "Restore \(property.map { $0 + " of " } ?? "")\(name.text) as of record \(sequence)",
            back: name.text, place: place, view: "/objects",
            action: pages.restore(name.text, property, to: sequence.rawValue))
    }

    private func newest(_ name: String) throws -> SequenceNumber? {
        let head = try store.refresh().rawValue
        let last = max(store.log.first.rawValue, head > Self.searchMax ? head - Self.searchMax : 1)
        for number in stride(from: head, through: last, by: -1) {
            let record = try store.log.record(at: SequenceNumber(number))
            if record.header.contextName == name { return record.sequence }
        }
        return nil
    }

    private func page(_ subject: Subject, _ outcome: Reversal, status: HTTPResponse.Status) -> Response {
        let isPossible = outcome.obstacles.isEmpty
        let obstacles = Obstacle.all(outcome.obstacles, pages)
        var size = 0
        let cards = outcome.changes.prefix(Self.cardMax).map { Card($0, pages) }.prefix { card in
            defer { size += card.size }
            return size < Self.cardSizeMax
        }
        var content: [String: Any] = [
            "title": subject.title, "back": subject.back, "href": subject.place, "action": subject.action,
            "isPossible": isPossible && !outcome.changes.isEmpty, "isEmpty": isPossible && outcome.changes.isEmpty,
            "isImpossible": !isPossible,
            "obstacles": Array(obstacles.prefix(Self.obstacleMax)),
            "sums": Self.sums(outcome.changes),
            "changes": Array(cards),
        ]
        content["moreObstacles"] = Self.rest(obstacles.count, Self.obstacleMax)
        let hidden = outcome.changes.count - cards.count
        content["moreChanges"] = hidden > 0 ? Counted.text(hidden, "more object") : nil
        return pages.page("revert", title: subject.title, view: subject.view, content, status: status)
    }

    private static func rest(_ count: Int, _ shown: Int) -> String? { count > shown ? "\(count - shown) more" : nil }
}
#endif
