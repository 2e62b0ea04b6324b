import Dispatch
import Foundation
import Synchronization

/// Times in seconds, of a clock that nobody sets.
enum Timing {
    private static let start = ContinuousClock.now

    static func now() -> Double {
        let time = (ContinuousClock.now - start).components
        return Double(time.seconds) + Double(time.attoseconds) * 1e-18
    }

    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return now() - start
    }

    /// How often a second all threads together do what `prepare` gives each of them, during `duration`.
    static func rate(
        _ threads: Int, duration: Double = 0.8, _ prepare: @escaping @Sendable (Int) throws -> () throws -> Void
    ) throws -> Double {
        let (group, ready, go) = (DispatchGroup(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let count = Atomic(0)
        let failure = Mutex<(any Error)?>(nil)
        let end = Mutex(0.0)
        for thread in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                let step = Result { try prepare(thread) }
                ready.signal()
                go.wait()
                do {
                    while now() < end.withLock({ $0 }) {
                        try step.get()()
                        count.add(1, ordering: .relaxed)
                    }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        for _ in 0..<threads { ready.wait() }
        let start = now()
        end.withLock { $0 = start + duration }
        for _ in 0..<threads { go.signal() }
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
        return Double(count.load(ordering: .relaxed)) / (now() - start)
    }

    /// Of seconds, as milliseconds.
    static func percentiles(_ times: [Double]) -> String {
        if times.isEmpty { return "none" }
        let sorted = times.sorted()
        func milliseconds(_ index: Int) -> String { String(format: "%.2f", sorted[index] * 1000) }
        return "p50 \(milliseconds(sorted.count / 2)) ms, p99 \(milliseconds(sorted.count * 99 / 100)) ms"
    }
}

extension [Double] {
    var median: Double { sorted()[count / 2] }
}

/// Rows of text, printed in columns.
struct TextTable {
    private var rows: [[String]]

    init(_ head: [String]) { rows = [head, head.map { _ in "---" }] }

    mutating func add(_ row: [String]) { rows.append(row) }

    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            return "| " + cells.joined(separator: " | ") + " |"
        }.joined(separator: "\n")
    }
}
