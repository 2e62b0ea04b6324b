package import FirnLog

/// A record of changes as lines for a person who looks for a mistake: who saved, then each object with its values.
///
///     record 12, by test, in the context view
///       created Book/7: title "Emma", pages 474
///       changed Book/3 “Persuasion”: pages 249 → 250
///       deleted Author/1 “Jane Austen”
package struct RecordText {
    package let lines: [String]

    /// More objects than these are counted, not shown.
    private static let objectsMax = 20

    package init(_ record: LogRecord, _ changes: ChangeSet, _ names: ModelNames, _ lookup: RecordSentence.Lookup) {
        let header = record.header
        let origin = [header.author.map { "by \($0)" }, header.contextName.map { "in the context \($0)" }]
        let title = ["record \(record.sequence)"] + origin.compactMap(\.self)
        let metadata = header.metadata.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        let count = changes.groups.reduce(0) { $0 + $1.primaryKeys.count }
        let sentences =
            count > Self.objectsMax
            ? RecordSentence(changes, names, lookup).clauses.map { "\($0.verb) \($0.text)" }
            : Self.objects(changes, names, lookup)
        lines = [(title + metadata).joined(separator: ", ")] + sentences.map { "  " + $0 }
    }

    private static func objects(
        _ changes: ChangeSet, _ names: ModelNames, _ lookup: RecordSentence.Lookup
    ) -> [String] {
        let members = RecordMembers(changes, names)
        let operations: [ChangeGroup.Operation] = [.insert, .update, .delete, .refresh]
        let groups = operations.flatMap { operation in
            changes.groups.filter { $0.operation == operation }.sorted { $0.entity < $1.entity }
        }
        let objects = groups.flatMap { group in
            group.primaryKeys.indices.map { row in
                LoggedChange(group: group, row: row, names: names, members: members).line(lookup)
            }
        }
        let links = changes.links.flatMap { LinkChange.all(of: $0, names) }.map { link in
            "\(link.isAdded ? "linked" : "unlinked") \(link.source).\(link.relationship) \(link.destination)"
        }
        return objects + links
    }
}

extension LoggedChange {
    /// `changed Book/3 “Persuasion”: pages 249 → 250`
    fileprivate func line(_ lookup: RecordSentence.Lookup) -> String {
        let isNew = group.operation == .insert
        // A new object's title is among its values.
        let name = object + (isNew ? "" : title(lookup).map { " “\($0)”" } ?? "")
        let details = group.operation == .delete ? [] : details(lookup, differing: true).map { "\($0.name) \($0.text)" }
        return group.operation.verb + " " + name + (details.isEmpty ? "" : ": " + details.joined(separator: ", "))
    }
}
