import FirnLog
import FirnModel
import FirnProjection
import Foundation
import TestSupport

/// A small store with a log of known records, as any program might have written it.
///
///     1  model     Person(born, friend, isActive, name, photo)
///     2  changes   + Person/1 Ada
///     3  changes   + Person/2 Grace, friend Ada        author "im\u{1B}port"
///     4  changes   ~ Person/1 name, - Person/2
struct SampleStore {
    let folder: TemporaryDirectory
    let log: SegmentLog
    var path: String { folder.file("People.sqlite").path }
    var segment: URL { folder.file("People.sqlite-log/00000000000000000001.segment") }

    static let person = EntityNumber(1)

    private static let document = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Person" representedClassName="NSManagedObject">
                <attribute name="born" optional="YES" attributeType="Date"/>
                <attribute name="isActive" optional="YES" attributeType="Boolean"/>
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="photo" optional="YES" attributeType="Binary"/>
                <relationship name="friend" optional="YES" maxCount="1" destinationEntity="Person"/>
            </entity>
        </model>

        """

    private static func model() throws -> LogModel {
        let model = try NSManagedObjectModel.load(
            document: Array(document.utf8), name: "the sample's model"
        ).model
        return StoreSchema(model: model).logModel
    }

    init() throws {
        folder = try TemporaryDirectory()
        log = try SegmentLog.create(
            directory: folder.file("People.sqlite-log").path, storeID: StoreID(high: 1, low: 2),
            date: 0)
        try append(.model(Self.model()))
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
        try log.exclusively {
            try log.sync(through: try log.append(body, header: header))
        }
    }

    static func insert(_ key: Int64, name: String, friend: Int64?) -> ChangeSet {
        let reference = friend.map {
            PropertyValue.reference(ObjectKey(entity: person, primaryKey: $0))
        }
        let columns = [
            column(.real, .real(0)), column(.reference, reference ?? .null),
            column(.integer, .integer(1)),
            column(.text, .text(name)), column(.blob, .blob([0, 255])),
        ]
        return ChangeSet(
            model: 1,
            groups: [
                ChangeGroup(
                    entity: person, operation: .insert, primaryKeys: [key], slots: [0, 1, 2, 3, 4],
                    new: columns)
            ])
    }

    private static let lastChanges = ChangeSet(
        model: 1,
        groups: [
            ChangeGroup(
                entity: person, operation: .update, primaryKeys: [1], slots: [3],
                new: [column(.text, .text("Ada Lovelace"))], old: [column(.text, .text("Ada"))]),
            ChangeGroup(
                entity: person, operation: .delete, primaryKeys: [2], slots: [3],
                old: [column(.text, .text("Grace"))]),
        ])

    private static func column(_ type: StorageType, _ value: PropertyValue) -> Column {
        var column = Column(type)
        column.append(value)
        return column
    }
}
