import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// How much eight threads that save at the same time gain over one. Prints figures and holds nothing: they are the
/// machine's. `FIRN_MEASURE=1 swift test --filter GroupCommitMeasurement`.
@Suite(
    "Measured: saves of one object, synced",
    .enabled(if: ProcessInfo.processInfo.environment["FIRN_MEASURE"] != nil))
struct GroupCommitMeasurement {
    @Test("by one thread and by eight, in turn")
    func rates() throws {
        let directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        for round in 1...3 {
            let one = try rate(coordinator, threads: 1)
            let eight = try rate(coordinator, threads: 8)
            print("round \(round): 1 thread \(Int(one)) a second, 8 threads \(Int(eight)): \(eight / one) times")
        }
    }

    private func rate(_ coordinator: NSPersistentStoreCoordinator, threads: Int) throws -> Double {
        let saves = 800 / threads
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: threads) { index in
            let context = coordinator.context()
            context.performAndWait {
                for save in 0..<saves {
                    _ = context.make("Author", ["name": "\(index).\(save)"])
                    try? context.save()
                }
            }
        }
        let time = ContinuousClock.now - start
        return Double(threads * saves) / (Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18)
    }
}
