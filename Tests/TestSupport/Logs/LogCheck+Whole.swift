import FirnLog
import Testing

extension LogCheck {
    static let whole = [
        LogCheck("what the application says of the store is kept and replaced") { host in
            let log = try host.create(.random())
            #expect(try log.attachment() == nil)
            try log.store(attachment: [1, 2, 3])
            try log.store(attachment: [4])
            #expect(try host.open().attachment() == [4])
        },
        LogCheck("a trimmed log begins later and holds the baseline") { host in
            let log = try host.create(.random())
            try #require(log.append(modelFirst(log)) == .appended)
            let kept = try log.save("two", "three").end
            try log.save("four")
            try log.trim(through: 3, knowing: 4) { write in try write(.keys([EntityNumber(1): 77])) }
            #expect(try log.beginning() == kept)
            #expect(try log.texts() == ["four"])
            #expect(code { _ = try log.frames(after: .beginning(of: log.storeID), sizeMax: 100) } == .missing)
            #expect(try host.open().frames(after: kept, sizeMax: 100).frames.map(\.sequence) == [4])
            let bytes = try baseline(of: 3, log)
            #expect(bytes.starts(with: "FIRNBAS\n".utf8))
            #expect(try baseline(of: 3, host.open()) == bytes)
            #expect(code { _ = try log.baseline(of: 2, from: 0, sizeMax: 10) } == .missing)
        },
        LogCheck("a log of which everything was cut off goes on") { host in
            let log = try host.create(.random())
            try #require(log.append(modelFirst(log)) == .appended)
            let last = try log.save("two")
            try log.trim(through: 2, knowing: 2) { _ in }
            #expect(try log.end() == last.end)
            #expect(try log.append(last) == .duplicate)
            try log.save("three")
            #expect(try log.texts() == ["three"])
            try log.trim(through: 3, knowing: 3) { _ in }
            #expect(try log.beginning().sequence == 3)
            #expect(code { _ = try log.baseline(of: 2, from: 0, sizeMax: 10) } == .missing)
        },
        LogCheck("a baseline of a state that knows nothing of an erasure is refused") { host in
            let log = try host.create(.random())
            try #require(log.append(modelFirst(log)) == .appended)
            try log.save("secret")
            let known = try log.save("three").end.sequence
            let copy = try SegmentLog.create(
                directory: "/copy", storeID: log.storeID, fileSystem: MemoryFileSystem(), date: 0)
            try copy.pull(from: log)
            let erasure = Erasure(model: 1, object: ObjectKey(entity: EntityNumber(1), primaryKey: 1))
            let header = TransactionHeader(date: LogSamples.date, id: .random())
            #expect(try log.erase(erasure, header: header, lookingIn: copy) == 2)
            #expect(code { try log.trim(through: known, knowing: known) { _ in } } == .overtaken)
            #expect(try log.beginning().sequence == .zero)
            try log.trim(through: known, knowing: log.end().sequence) { _ in }
            #expect(try log.beginning().sequence == known)
        },
        LogCheck("a log that is copied keeps every frame, and goes on where it stopped") { host in
            let log = try host.create(.random())
            try #require(log.append(modelFirst(log)) == .appended)
            for number in 2...30 { try log.save("record \(number)") }
            let copy = try SegmentLog.create(
                directory: "/copy", storeID: log.storeID, options: LogOptions(segmentSize: 4096),
                fileSystem: MemoryFileSystem(), date: 0)
            var steps = 0
            let interruption = code {
                try copy.pull(from: log, sizeMax: 500) { _ in
                    steps += 1
                    if steps == 3 { throw LogError(.closed, "Interrupted.") }
                }
            }
            #expect(interruption == .closed)
            #expect(try copy.end().sequence < 30)
            #expect(try copy.pull(from: log, sizeMax: 500) == log.end())
            #expect(try copy.records() == log.records())
            // And back: what is here already is not appended again.
            let later = try copy.save("31")
            #expect(try log.pull(from: copy) == later.end)
            #expect(try log.records() == copy.records())
        },
        LogCheck("records that were compressed with dictionaries are copied with them") { host in
            let source = try SegmentLog.create(
                directory: "/source", storeID: .random(), fileSystem: MemoryFileSystem(), date: 0)
            for size in [400, 500] {
                let text = LogSamples.noise(size)
                #expect(try LogMaintenance(source).adopt(dictionary: Array(text.utf8)))
                for key in 1...3 {
                    let record = LogSamples.record(text, key: Int64(key))
                    try source.exclusively { _ = try source.append(record.body, header: record.header) }
                }
            }
            let log = try host.create(source.storeID)
            try log.pull(from: source)
            #expect(try log.records() == source.records())
            #expect(try host.open().frames(after: log.beginning(), sizeMax: 1 << 20).dictionary != nil)
            let copy = try SegmentLog.create(
                directory: "/copy", storeID: log.storeID, fileSystem: MemoryFileSystem(), date: 0)
            try copy.pull(from: host.open())
            #expect(try copy.records() == source.records())
        },
        LogCheck("logs that went different ways are not copied into each other") { host in
            let log = try host.create(.random())
            let other = try SegmentLog.create(
                directory: "/copy", storeID: log.storeID, fileSystem: MemoryFileSystem(), date: 0)
            try log.save("here")
            try other.save("there", "and on")
            #expect(code { try log.pull(from: other) } == .diverged)
            #expect(code { try other.pull(from: log) } == .diverged)
            #expect(try log.texts() == ["here"])
        },
        LogCheck("a log that was closed says so") { host in
            let log = try host.create(.random())
            try log.save("one")
            log.close()
            #expect(code { _ = try log.end() } == .closed)
        },
        LogCheck("a log says what an acknowledgement means") { host in
            let log = try host.create(.random())
            #expect(try !log.acknowledgement().description.isEmpty)
        },
    ]

    private static func modelFirst(_ log: any ChangeLog) throws -> FrameRun {
        let header = TransactionHeader(date: LogSamples.date, id: .random())
        return try FrameEncoder().run([(.model(LogSamples.model), header)], after: log.end())
    }

    private static func baseline(of last: SequenceNumber, _ log: any ChangeLog) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try log.baseline(of: last, from: Int64(bytes.count), sizeMax: 50)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }
}
