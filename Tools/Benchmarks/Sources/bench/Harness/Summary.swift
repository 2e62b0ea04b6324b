/// The middle and the ends of several measurements.
struct Summary: Codable {
    let median: Double
    let least: Double
    let most: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        least = sorted.first ?? 0
        most = sorted.last ?? 0
        let middle = sorted.count / 2
        if sorted.isEmpty {
            median = 0
        } else if sorted.count % 2 == 1 {
            median = sorted[middle]
        } else {
            median = (sorted[middle - 1] + sorted[middle]) / 2
        }
    }
}

/// All trials of one side of a workload.
struct SideOutcome: Codable {
    let side: String
    let seconds: Summary
    let peakBytes: Summary
    let digest: UInt64
    let figures: [String: Summary]

    init(side: String, trials: [TrialResult]) {
        self.side = side
        seconds = Summary(trials.map(\.seconds))
        peakBytes = Summary(trials.map { Double($0.peakBytes) })
        digest = trials.first?.digest ?? 0
        var byName: [String: [Double]] = [:]
        for trial in trials {
            for (name, value) in trial.figures { byName[name, default: []].append(value) }
        }
        figures = byName.mapValues(Summary.init)
    }
}

/// A goal and what was reached. Ratios are medians of the ratios of each round: both sides ran moments apart.
struct GoalOutcome: Codable {
    let text: String
    let reached: Double
    let isMet: Bool
}

/// A workload and what came of it.
struct Outcome: Codable {
    let workload: String
    let suite: Suite
    let summary: String
    let sides: [SideOutcome]
    let goals: [GoalOutcome]
    /// False where the sides' digests differ: then no figure of the workload means anything.
    let sidesAgree: Bool

    init(_ workload: Workload, rounds: [[String: TrialResult]]) {
        self.workload = workload.name
        suite = workload.suite
        summary = workload.summary
        sides = workload.sides.map { side in
            SideOutcome(side: side.name, trials: rounds.compactMap { $0[side.name] })
        }
        goals = workload.goals.map { GoalOutcome($0, rounds: rounds) }
        sidesAgree = Set(rounds.flatMap { $0.values.map(\.digest) }).count <= 1
    }
}

extension GoalOutcome {
    init(_ goal: Goal, rounds: [[String: TrialResult]]) {
        func ratios(_ side: String, _ value: (TrialResult) -> Double) -> Double {
            Summary(
                rounds.compactMap { round in
                    guard let ours = round["firn"], let theirs = round[side] else { return nil }
                    return value(ours) / value(theirs)
                }
            ).median
        }
        func ours(_ name: String) -> Double {
            Summary(rounds.compactMap { $0["firn"]?.figures[name] }).median
        }
        switch goal {
        case .time(let limit, let side):
            reached = ratios(side, \.seconds)
            text = "time ≤ \(limit) × \(side)"
            isMet = reached <= limit
        case .rate(let limit, let side):
            reached = 1 / ratios(side, \.seconds)
            text = "rate ≥ \(limit) × \(side)"
            isMet = reached >= limit
        case .figure(let name, let limit):
            reached = ours(name)
            text = "\(name) ≤ \(limit)"
            isMet = reached <= limit
        case .figureAtLeast(let name, let limit):
            reached = ours(name)
            text = "\(name) ≥ \(limit)"
            isMet = reached >= limit
        case .figureRatio(let name, let limit, let side):
            reached = ratios(side) { $0.figures[name] ?? .nan }
            text = "\(name) ≤ \(limit) × \(side)"
            isMet = reached <= limit
        }
    }
}
