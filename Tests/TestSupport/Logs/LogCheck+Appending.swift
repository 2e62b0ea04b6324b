import FirnLog
import Synchronization
import Testing

extension LogCheck {
    static let appending = [
        LogCheck("an empty log ends before its first record") { host in
            let id = StoreID.random()
            let log = try host.create(id)
            #expect(try log.end() == .beginning(of: id))
            #expect(try log.beginning() == .beginning(of: id))
            #expect(try log.frames(after: .beginning(of: id), sizeMax: 1000).isEmpty)
        },
        LogCheck("records come back as they were appended, and where they ended") { host in
            let log = try host.create(.random())
            let records = (1...5).map { LogSamples.record("record \($0)", key: $0) }
            let first = try FrameEncoder().run(Array(records[..<2]), after: log.end())
            #expect(try log.append(first) == .appended)
            let second = try FrameEncoder().run(Array(records[2...]), after: first.end)
            #expect(try log.append(second) == .appended)
            #expect(try log.end() == second.end)
            let read = try log.records()
            #expect(read.map(\.body) == records.map(\.body))
            #expect(read.map(\.header) == records.map(\.header))
            #expect(read.map(\.sequence) == [1, 2, 3, 4, 5])
        },
        LogCheck("another program sees what was appended") { host in
            let log = try host.create(.random())
            let other = try host.open()
            try log.save("one")
            #expect(try other.texts() == ["one"])
            try other.save("two")
            #expect(try log.texts() == ["one", "two"])
            #expect(try other.storeID == log.end().storeID)
        },
        LogCheck("an append after an older end is a conflict and appends nothing") { host in
            let log = try host.create(.random())
            let late = try FrameEncoder().run([LogSamples.record("late")], after: log.end())
            try log.save("one", "two")
            #expect(try log.append(late) == .conflict(log.end()))
            #expect(try log.texts() == ["one", "two"])
        },
        LogCheck("an append to another past is a conflict") { host in
            let log = try host.create(.random())
            try log.save("one")
            let elsewhere = try FrameEncoder().run([LogSamples.record("one")], after: .beginning(of: log.storeID))
            let run = try FrameEncoder().run([LogSamples.record("two")], after: elsewhere.end)
            #expect(try log.append(run) == .conflict(log.end()))
        },
        LogCheck("an append beyond the end is a conflict") { host in
            let log = try host.create(.random())
            let first = try FrameEncoder().run([LogSamples.record("one")], after: log.end())
            let second = try FrameEncoder().run([LogSamples.record("two")], after: first.end)
            #expect(try log.append(second) == .conflict(.beginning(of: log.storeID)))
            #expect(try log.texts().isEmpty)
        },
        LogCheck("the same run again is a duplicate and is there once") { host in
            let log = try host.create(.random())
            let run = try FrameEncoder().run(
                [LogSamples.record("one"), LogSamples.record("two")], after: log.end())
            #expect(try log.append(run) == .appended)
            #expect(try log.append(run) == .duplicate)
            try log.save("three")
            #expect(try host.open().append(run) == .duplicate)
            #expect(try log.texts() == ["one", "two", "three"])
        },
        LogCheck("the same values in another transaction are no duplicate") { host in
            let log = try host.create(.random())
            let start = try log.end()
            #expect(try log.append(FrameEncoder().run([LogSamples.record("one")], after: start)) == .appended)
            let end = try log.end()
            #expect(try log.append(FrameEncoder().run([LogSamples.record("one")], after: start)) == .conflict(end))
        },
        LogCheck("frames of another store are refused and nothing is written") { host in
            let log = try host.create(.random())
            let foreign = try FrameEncoder().run([LogSamples.record("one")], after: .beginning(of: .random()))
            #expect(code { _ = try log.append(foreign) } == .storeMismatch)
            #expect(try log.texts().isEmpty)
        },
        LogCheck("a record of three megabytes and one of a few bytes are kept alike") { host in
            let log = try host.create(.random())
            let large = LogSamples.noise(3 << 20)
            try log.save(large)
            try log.save("small")
            #expect(try host.open().texts() == [large, "small"])
        },
        LogCheck("four writers append each record once, without gaps") { host in
            let log = try host.create(.random())
            let failures = Mutex<[String]>([])
            runThreads(4) { thread in
                do {
                    let own = try host.open()
                    for number in 1...15 { try own.save("\(thread).\(number)") }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            let expected = Set((0..<4).flatMap { thread in (1...15).map { "\(thread).\($0)" } })
            let texts = try log.texts()
            #expect(texts.count == 60)
            #expect(Set(texts) == expected)
        },
    ]
}
