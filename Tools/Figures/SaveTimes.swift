import CoreData
import FirnLog
import FirnPostgres
import Foundation
import Synchronization

/// How long one save takes, and until others hear of it.
struct SaveTimes {
    let server: String

    func print() throws {
        let address = Figures.newStore(server)
        let (machine, other, own) = (try Machine(address), try Machine(address), try Machine(nil))
        let heard = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: other.coordinator, queue: nil
        ) { _ in heard.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        var (shared, local, hears): ([Double], [Double], [Double]) = ([], [], [])
        for number in 0..<300 {
            shared.append(try Timing.seconds { try machine.addNote("\(number)") })
            hears.append(Timing.seconds { heard.wait() })
            local.append(try Timing.seconds { try own.addNote("\(number)") })
        }
        var table = TextTable(["what", "figure"])
        table.add(["a save to a shared store", Timing.percentiles(shared)])
        table.add(["a save to a store of its own", Timing.percentiles(local)])
        table.add(["until another machine has it, after that", Timing.percentiles(hears)])
        table.add(["a bare follower wakes after the acknowledgement", Timing.percentiles(try wakes())])
        Figures.say("\(table.text)\n")
    }

    private func wakes() throws -> [Double] {
        guard let address = PostgresAddress(Figures.newStore(server)) else { throw Failure(description: "no address") }
        let log = try PostgresLog.create(at: address, storeID: .random())
        let watch = try PostgresLog.open(at: address).watch()
        let times = Mutex<[Double]>([])
        let isAwake = DispatchSemaphore(value: 0)
        let isSent = DispatchSemaphore(value: 0)
        let isNoted = DispatchSemaphore(value: 0)
        let sent = Mutex(0.0)
        Thread.detachNewThread {
            for number in 0..<200 {
                guard (try? watch.wait(after: SequenceNumber(UInt64(number)))) == true else { return }
                let now = Timing.now()
                isAwake.signal()
                isSent.wait()
                times.withLock { $0.append(max(0, now - sent.withLock { $0 })) }
                isNoted.signal()
            }
        }
        let encoder = FrameEncoder()
        var end = try log.end()
        for _ in 0..<200 {
            let run = try encoder.run([Samples.record("note")], after: end)
            _ = try log.append(run)
            sent.withLock { $0 = Timing.now() }
            end = run.end
            isAwake.wait()
            isSent.signal()
            isNoted.wait()
        }
        return times.withLock { $0 }
    }
}
