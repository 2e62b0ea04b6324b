import FirnLog
import Foundation
import TestSupport

/// A small store with a log of known records, as any program might have written it.
///
///     1  model     Person(name, born, photo, isActive, friend)
///     2  changes   + Person/1 Ada
///     3  changes   + Person/2 Grace, friend Ada        author "im\u{1B}port"
///     4  changes   ~ Person/1 name, - Person/2
struct SampleStore {
    let folder: TemporaryDirectory
    let log: SegmentLog
    var path: String { folder.file("People.sqlite").path }
    var segment: URL { folder.file("People.sqlite-log/00000000000000000001.segment") }

    static let person = EntityNumber(1)

    static let model = LogModel(entities: [
        LogEntity(
            number: person, name: "Person", parent: nil,
            properties: [
                LogProperty(name: "name", kind: .attribute(.string)),
                LogProperty(name: "born", kind: .attribute(.date)),
                LogProperty(name: "photo", kind: .attribute(.binary)),
                LogProperty(name: "isActive", kind: .attribute(.boolean)),
                LogProperty(name: "friend", kind: .toOne(destination: person)),
            ])
    ])

    init() throws {
        folder = try TemporaryDirectory()
        log = try SegmentLog.create(
            directory: folder.file("People.sqlite-log").path, storeID: StoreID(high: 1, low: 2),
            date: 0)
        try append(.model(Self.model))
        try append(.changes(Self.insert(1, name: "Ada", friend: nil)))
        try append(
            .changes(Self.insert(2, name: "Grace \"Amazing\"\n", friend: 1)), author: "im\u{1B}port"
        )
        try append(.changes(Self.lastChanges))
    }

    func append(_ body: LogRecord.Body, author: String? = "test") throws {
        let header = TransactionHeader(
            date: 1_700_000_000_123_456, id: TransactionID(high: 3, low: 4), author: author,
            contextName: "context",
            processName: "tests", processID: 7)
        try log.withWriterLock { writer in
            try log.sync(through: try writer.append(body, header: header))
        }
    }

    static func insert(_ key: Int64, name: String, friend: Int64?) -> ChangeSet {
        var slots: [UInt16] = [0, 1, 2, 3]
        var columns = [
            column(.text, .text(name)), column(.real, .real(0)), column(.blob, .blob([0, 255])),
            column(.integer, .integer(1)),
        ]
        if let friend {
            slots.append(4)
            columns.append(
                column(.reference, .reference(ObjectKey(entity: person, primaryKey: friend))))
        }
        return ChangeSet(
            model: 1,
            groups: [
                ChangeGroup(
                    entity: person, operation: .insert, primaryKeys: [key], slots: slots,
                    new: columns)
            ])
    }

    private static let lastChanges = ChangeSet(
        model: 1,
        groups: [
            ChangeGroup(
                entity: person, operation: .update, primaryKeys: [1], slots: [0],
                new: [column(.text, .text("Ada Lovelace"))], old: [column(.text, .text("Ada"))]),
            ChangeGroup(
                entity: person, operation: .delete, primaryKeys: [2], slots: [0],
                old: [column(.text, .text("Grace"))]),
        ])

    private static func column(_ type: StorageType, _ value: PropertyValue) -> Column {
        var column = Column(type)
        column.append(value)
        return column
    }
}
