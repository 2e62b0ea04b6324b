import CoreData

/// Whether saving slows down as the store grows.
extension Workload {
    static var tenMillion: Workload {
        Workload(
            name: "ten-million", suite: .long,
            summary: "insert 10 million rows of ten integers in saves of 1,000; the last tenth against the first",
            goals: [
                .figureAtLeast(name: "last tenth's rate / first's", 0.8),
                .figure(name: "last tenth's peak memory / first's", atMost: 1.2),
            ],
            sides: [
                Side("firn") { trial in
                    let rows = trial.count(10_000_000)
                    let context = try FirnItems.create(trial).newBackgroundContext()
                    var seconds: [Double] = []
                    var peaks: [Double] = []
                    try trial.measure {
                        for tenth in 0..<10 {
                            Memory.resetPeak()
                            let start = ContinuousClock.now
                            for first in stride(from: tenth * rows / 10, to: (tenth + 1) * rows / 10, by: 1_000) {
                                try FirnItems.insert(first..<first + 1_000, into: context)
                                context.performAndWait { context.reset() }
                            }
                            try FirnItems.catchUpTables(context)
                            seconds.append((ContinuousClock.now - start) / .seconds(1))
                            peaks.append(Double(Memory.peak()))
                        }
                    }
                    let count = try context.performAndWait { try context.count(for: FirnItems.request()) }
                    trial.digest.add(Int64(count))
                    trial.figures["last tenth's rate / first's"] = seconds[0] / seconds[9]
                    trial.figures["last tenth's peak memory / first's"] = peaks[9] / peaks[0]
                    trial.figures["rows a second, first tenth"] = Double(rows) / 10 / seconds[0]
                }
            ])
    }
}
