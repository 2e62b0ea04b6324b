#if Server
import FirnInspection
import FirnLog
import FirnProjection
import HTTPTypes
import Hummingbird

/// The pages of entities and of single objects, as they are and as they were.
struct ObjectPages: Sendable {
    private static let versionMax = 200
    /// The approximate bytes of the versions that are shown.
    private static let versionSizeMax = 60_000

    let store: ServedStore
    let tables: StateReader
    let queries: QueryRunner
    let objects: ObjectRoutes
    let pages: PageLibrary
    let allowsRevert: Bool

    private struct EntityRow {
        let name: String
        let href: String
        let count: Int
    }

    /// The record that set a value.
    private struct Setting {
        let number: String
        let href: String
        let who: String
        let iso: String
        let date: String

        init(_ entry: ObjectChanges.Entry, _ pages: PageLibrary) {
            let header = entry.record.header
            number = "\(entry.record.sequence)"
            href = pages.record(entry.record.sequence.rawValue)
            who = PageText.cut(header.author ?? header.processName, 100)
            iso = LogDate(header.date).iso8601
            date = PageDate.text(header.date)
        }
    }

    private struct BlamedValue {
        let name: String
        let value: PageValue
        /// The value that the change replaced; nil for that of a new object.
        let before: PageValue?
        let set: Setting?

        init(
            _ name: String, _ value: ValueText, of object: String, set entry: ObjectChanges.Entry?,
            _ pages: PageLibrary, _ titles: [String: String], asOf: UInt64?
        ) {
            self.name = name
            let place = PageValue.Place(object: object, property: name)
            self.value = PageValue(value, pages, asOf: asOf, of: place, .long, titles: titles)
            before = entry.flatMap { entry in
                guard entry.change.group.operation == .update else { return nil }
                return entry.change.values.first { $0.name == name }?.old.map {
                    PageValue($0, pages, asOf: entry.record.sequence.rawValue - 1, of: place, titles: titles)
                }
            }
            set = entry.map { Setting($0, pages) }
        }
    }

    private struct Version {
        let number: String
        let href: String
        let then: String
        /// The page that makes the object so again; nil where reverting is not allowed.
        let restoring: String?
        let who: String
        let iso: String
        let date: String
        let kind: String
        let word: String
        let rowCount: Int
        let firstRow: VersionRow?
        let rest: [VersionRow]
    }

    /// A property that a version set, or a relationship whose members it changed.
    private struct VersionRow {
        let name: String
        /// The page that gives the object this value again, under a name that a version does not have.
        var restoringOne: String?
        var property: ChangeCard.Property?
        var touched: ChangeCard.Touched?
    }

    /// A property whose versions can be shown alone.
    private struct Narrowing {
        let name: String
        let count: String
        let href: String
        let isChosen: Bool
    }

    /// A link to another point.
    private struct Step {
        let href: String
        let text: String
    }

    private struct MemberList {
        struct Member {
            let name: String
            let href: String
        }

        let name: String
        let count: Int
        let objects: [Member]
    }

    /// All entities, with how many objects each has.
    func entities(_ request: Request) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["as-of"], isForm: true)
        let sequence = try parameters.point("as-of").map(store.state(at:))
        let suffix = sequence.map { "?as-of=\($0)" } ?? ""
        let (rows, shown) = try await queries.run { [tables, pages] _ in
            try tables.read(at: sequence) { state in
                let rows = try state.schema.logModel.entities.map { entity in
                    let query = ObjectQuery(allOf: entity.name)
                    return EntityRow(
                        name: entity.name, href: "\(pages.base)/objects/\(entity.name)\(suffix)",
                        count: try state.reader.count(query.plan(state.schema)))
                }
                return (rows.sorted { $0.name < $1.name }, state.sequence)
            }
        }
        var content = try asOf(parameters, shown, action: "\(pages.base)/objects")
        content["entities"] = rows
        return pages.page("entities", title: "Objects", view: "/objects", content)
    }

    /// One object: its values, who set them, its members and its versions.
    func object(_ request: Request, entity: String, key: String) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["as-of", "before", "property"], isForm: true)
        let name = try store.described { try ObjectName("\(entity)/\(key)") }
        let sequence = try parameters.point("as-of").map(store.state(at:))
        let before = try parameters.point("before").map(store.sequence(at:))
        let object = try await objects.object(name, at: sequence)
        let property = parameters["property"]
        // A property that no model has is an error.
        if property != nil {
            _ = try store.described { try store.filter(author: nil, entity: name.entity, property: property) }
        }
        let versions = try await objects.versions(
            name, of: property, through: before.map { SequenceNumber(max($0.rawValue, 1) - 1) },
            limit: Self.versionMax)
        guard object != nil || !versions.entries.isEmpty || versions.seen > 0 else {
            throw RequestFailure.notFound(
                "no record names \(name.text)", remedy: "look for it in the table of its entity")
        }
        let place = pages.object(name.text)
        var content = try asOf(parameters, sequence ?? store.log.head, action: place)
        content["object"] = name.text
        content["state"] = Self.state(object, sequence)
        var setters: [String: ObjectChanges.Entry] = [:]
        if let object {
            setters = try await objects.setters(of: name, object.row.values.map(\.name), at: object.sequence)
        }
        let titles = try await titles(of: object, versions.entries + setters.values, at: sequence)
        let shown = self.versions(versions.entries, of: name, property, titles)
        content["versions"] = shown
        content["narrowings"] = narrowings(versions, parameters, place)
        content["counted"] = versions.isWhole ? nil : "At least that: the newest \(versions.seen) were counted."
        content["called"] = object?.title
        if allowsRevert, object != nil, let sequence {
            content["restoringAll"] = pages.restore(name.text, nil, to: sequence.rawValue)
        }
        content["steps"] = steps(versions, from: sequence ?? store.log.head, now: sequence == nil, place)
        if let object {
            content["hasValues"] = true
            content["values"] = object.row.values.map { name, value in
                BlamedValue(
                    name, value, of: object.row.name, set: setters[name], pages, titles, asOf: sequence?.rawValue)
            }
            content["members"] = object.members.map { members in
                MemberList(
                    name: members.relationship, count: members.count,
                    objects: members.objects.map {
                        .init(name: titles[$0] ?? $0, href: pages.object($0, asOf: sequence?.rawValue))
                    })
            }
        }
        if let next = shown.count < versions.entries.count
            ? versions.entries[shown.count].record.sequence : versions.next
        {
            content["position"] = "\(next)"
            content["more"] =
                place + "?" + parameters.query(replacing: "before", with: "\(next.next)")
        }
        let title = [name.text, object?.title.map { "“\($0)”" }].compactMap(\.self).joined(separator: " ")
        return pages.page("object", title: title, view: "/objects", content)
    }

    /// The properties that versions changed, to show those of one alone.
    private func narrowings(
        _ versions: ObjectVersions, _ parameters: QueryParameters, _ place: String
    ) -> [Narrowing] {
        func narrowing(_ name: String, _ count: Int, _ property: String?) -> Narrowing {
            let query = parameters.query(replacing: ["property": property, "before": nil])
            return Narrowing(
                name: name, count: "\(count)" + (versions.isWhole ? "" : "+"),
                href: place + (query.isEmpty ? "" : "?" + query) + "#versions",
                isChosen: parameters["property"] == property)
        }
        return [narrowing("all", versions.seen, nil)]
            + versions.counts.sorted { $0.key < $1.key }.map { narrowing($0.key, $0.value, $0.key) }
    }

    /// The objects that a page of one object leads to, by what people know them by.
    private func titles(
        of object: StoredObject?, _ entries: [ObjectChanges.Entry], at sequence: SequenceNumber?
    ) async throws -> [String: String] {
        let values = object?.row.values.map(\.value).filter(\.isReference).compactMap(\.text) ?? []
        let named = values + (object?.members.flatMap(\.objects) ?? []) + entries.flatMap(\.change.related)
        return try await queries.run { [tables] _ in tables.titles(of: named, at: sequence) }
    }

    /// The versions that fit on a page, and at least one.
    private func versions(
        _ entries: [ObjectChanges.Entry], of name: ObjectName, _ property: String?, _ titles: [String: String]
    ) -> [Version] {
        var (versions, size) = ([Version](), 0)
        for entry in entries {
            let (version, own) = version(entry, of: name, property, titles)
            size += own
            if size > Self.versionSizeMax, !versions.isEmpty { break }
            versions.append(version)
        }
        return versions
    }

    /// The versions before and after the one that is shown, as far as they are listed.
    private func steps(
        _ versions: ObjectVersions, from sequence: SequenceNumber, now isNow: Bool, _ place: String
    ) -> [Step] {
        let numbers = versions.entries.map(\.record.sequence)
        let shown = numbers.first { $0 <= sequence }
        let previous = shown.flatMap { shown in numbers.first { $0 < shown } }
        let next = isNow ? nil : numbers.last { $0 > sequence }
        var steps: [Step] = []
        if let previous {
            steps.append(Step(href: "\(place)?as-of=\(previous)", text: "← Version of record \(previous)"))
        }
        if let next { steps.append(Step(href: "\(place)?as-of=\(next)", text: "Version of record \(next) →")) }
        if !isNow, sequence < store.log.head {
            steps.append(Step(href: "\(pages.base)/compare?from=\(sequence)", text: "What changed since in the store"))
        }
        return steps
    }

    private static func state(_ object: StoredObject?, _ sequence: SequenceNumber?) -> String {
        switch (object, sequence) {
        case (_?, nil): "As it is now"
        case (_?, let sequence?): "As of record \(sequence)"
        case (nil, nil): "Not there any more"
        case (nil, let sequence?): "Not there as of record \(sequence)"
        }
    }

    /// - Parameters:
    ///   - name: the object as it is named now; at the time of the entry it may have had another name.
    ///   - property: the only one that is shown; nil for all.
    private func version(
        _ entry: ObjectChanges.Entry, of name: ObjectName, _ property: String?, _ titles: [String: String]
    ) -> (version: Version, size: Int) {
        let setting = Setting(entry, pages)
        let number = entry.record.sequence.rawValue
        let card = ChangeCard(entry.change, pages, asOf: number, titles: titles)
        let object = entry.change.object
        let isRestorable = allowsRevert && entry.change.group.operation != .delete
        func restoring(_ property: String?) -> String? {
            isRestorable ? pages.restore(name.text, property, to: number) : nil
        }
        let rows =
            (card.properties.map { VersionRow(name: $0.name, restoringOne: restoring($0.name), property: $0) }
            + card.touched.map { VersionRow(name: $0.name, restoringOne: restoring($0.name), touched: $0) })
            .filter { property == nil || $0.name == property }
        let version = Version(
            number: setting.number, href: setting.href, then: pages.object(object, asOf: number),
            restoring: restoring(nil), who: setting.who, iso: setting.iso, date: setting.date, kind: card.kind,
            word: card.word, rowCount: max(rows.count, 1), firstRow: rows.first, rest: Array(rows.dropFirst()))
        return (version, card.size)
    }

    /// The values of the form that chooses a point.
    func asOf(_ parameters: QueryParameters, _ shown: SequenceNumber, action: String) throws -> [String: Any] {
        try [
            "notes": parameters.timeReadings(in: store.log),
            "action": action, "first": "\(max(store.log.first, 1))", "last": "\(store.log.head)",
            "asOf": "\(shown)", "shown": parameters["as-of"] ?? "", "isPast": parameters["as-of"] != nil,
            "now": action,
        ]
    }
}
#endif
