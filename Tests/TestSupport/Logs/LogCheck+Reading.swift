import FirnLog
import Synchronization
import Testing

extension LogCheck {
    static let reading = [
        LogCheck("reading in small pieces gives every record") { host in
            let log = try host.create(.random())
            let texts = (1...40).map { "record \($0) " + LogSamples.noise($0 * 20) }
            for text in texts { try log.save(text) }
            #expect(try log.texts(sizeMax: 1) == texts)
            #expect(try log.texts(sizeMax: 2000) == texts)
        },
        LogCheck("a reader whose last record the log does not hold is told so") { host in
            let log = try host.create(.random())
            try log.save("one", "two")
            let encoder = FrameEncoder()
            let other = try encoder.run([LogSamples.record("else")], after: .beginning(of: log.storeID))
            #expect(code { _ = try log.frames(after: other.end, sizeMax: 1000) } == .diverged)
            let longer = try encoder.run([LogSamples.record("three")], after: log.end())
            #expect(code { _ = try log.frames(after: longer.end, sizeMax: 1000) } == .diverged)
            let same = try encoder.run([LogSamples.record("b")], after: other.end)
            #expect(code { _ = try log.frames(after: same.end, sizeMax: 1000) } == .diverged)
        },
        LogCheck("a reader of another store is told so") { host in
            let log = try host.create(.random())
            #expect(code { _ = try log.frames(after: .beginning(of: .random()), sizeMax: 1000) } == .storeMismatch)
        },
        LogCheck("whoever waits wakes when another program appends") { host in
            let log = try host.create(.random())
            let watch = try log.watch()
            let other = try host.open()
            let outcome = Mutex<[Bool?]>([])
            runThreads(2) { thread in
                if thread == 0 {
                    let found = try? watch.wait(after: .zero)
                    outcome.withLock { $0.append(found) }
                } else {
                    _ = try? other.save("one")
                }
            }
            #expect(outcome.withLock { $0 } == [true])
            #expect(try log.texts() == ["one"])
        },
        LogCheck("whoever waits for what is there does not wait") { host in
            let log = try host.create(.random())
            try log.save("one", "two")
            #expect(try log.watch().wait(after: 1))
        },
        LogCheck("a wait that is cancelled ends") { host in
            let log = try host.create(.random())
            let watch = try log.watch()
            let outcome = Mutex<[Bool?]>([])
            runThreads(2) { thread in
                if thread == 0 {
                    let found = try? watch.wait(after: .zero)
                    outcome.withLock { $0.append(found) }
                } else {
                    watch.cancel()
                }
            }
            #expect(outcome.withLock { $0 } == [false])
            #expect(try watch.wait(after: .zero) == false)
        },
    ]
}
