import FirnLog
import Testing

extension LogCheck {
    /// Large values, which records name.
    static let values = [
        LogCheck("a value of several pieces is kept and given back") { host in
            let log = try host.create(.random())
            let value = bytes(3 << 20)
            #expect(try !log.hasExternalValues)
            let reference = try keep(value, in: log)
            #expect(try log.hasExternalValues && log.holds(reference))
            #expect(try log.externalReferences() == [reference])
            let again = try host.open()
            #expect(try read(reference, of: again) == value)
            let part = try again.externalValue(reference, from: 1_500_000, sizeMax: 5)
            #expect(part == Array(value[1_500_000..<1_500_005]))
            #expect(try keep(value, in: again) == reference)
        },
        LogCheck("a value that is not there is told, and nothing is kept of one that is another") { host in
            let log = try host.create(.random())
            let reference = bytes(10).withUnsafeBytes { ExternalReference(to: $0) }
            #expect(try !log.holds(reference))
            #expect(code { _ = try log.externalValue(reference, from: 0, sizeMax: 10) } == .damaged)
            #expect(code { try log.store(reference) { $0 == 0 ? [1, 2, 3] : [] } } == .damaged)
            #expect(try !log.holds(reference))
            #expect(try !log.hasExternalValues)
        },
        LogCheck("values are copied with the records that name them, there and back") { host in
            let source = try SegmentLog.create(
                directory: "/source", storeID: .random(), fileSystem: MemoryFileSystem(), date: 0)
            let value = bytes(200_000)
            let reference = try keep(value, in: source)
            let unnamed = try keep(bytes(300_000), in: source)
            let record = naming(reference)
            try source.exclusively { _ = try source.append(record.body, header: record.header) }
            let log = try host.create(source.storeID)
            try log.pull(from: source)
            #expect(try log.externalReferences() == [reference])
            #expect(try !log.holds(unnamed))
            let copy = try SegmentLog.create(
                directory: "/copy", storeID: log.storeID, fileSystem: MemoryFileSystem(), date: 0)
            try copy.pull(from: host.open())
            #expect(try read(reference, of: copy) == value)
        },
    ]

    private static func bytes(_ count: Int) -> [UInt8] { Array(LogSamples.noise(count).utf8) }

    private static func keep(_ value: [UInt8], in log: any ChangeLog) throws -> ExternalReference {
        let reference = value.withUnsafeBytes { ExternalReference(to: $0) }
        try log.store(reference) { Array(value.dropFirst(Int($0)).prefix(700_000)) }
        return reference
    }

    private static func read(_ reference: ExternalReference, of log: any ChangeLog) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try log.externalValue(reference, from: Int64(bytes.count), sizeMax: 400_000)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    /// A record with a value that is kept elsewhere.
    private static func naming(
        _ reference: ExternalReference
    ) -> (body: LogRecord.Body, header: TransactionHeader) {
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: [1], slots: [0],
            new: [Column(.blob, .blob(reference.bytes))])
        return (.changes(ChangeSet(model: 1, groups: [group])), TransactionHeader(date: LogSamples.date, id: .random()))
    }
}
