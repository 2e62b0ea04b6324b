/// One thing that is measured, done by several sides with the same data and the same durability.
struct Workload {
    let name: String
    /// The group by which `Tools/bench` selects.
    let suite: Suite
    /// What is done, for people.
    let summary: String
    let goals: [Goal]
    let sides: [Side]

    func side(_ name: String) -> Side? { sides.first { $0.name == name } }
}

enum Suite: String, CaseIterable, Codable {
    case items, saves, persons, log
    /// Takes many minutes; run only when it is asked for.
    case long
    /// SwiftData: built with the trait only, and run only when it is asked for.
    case models

    /// Whether it is run where no suite is named.
    var isUsual: Bool { self != .long && self != .models }
}

/// One way to do a workload.
struct Side {
    let name: String
    let run: (Trial) throws -> Void

    init(_ name: String, _ run: @escaping (Trial) throws -> Void) {
        self.name = name
        self.run = run
    }
}

/// What a figure should be.
enum Goal {
    /// Firn's time divided by that of `side` is at most `limit`.
    case time(atMost: Double, of: String)
    /// Firn's rate divided by that of `side` is at least `limit`.
    case rate(atLeast: Double, of: String)
    /// A figure that Firn's trials report under `name` is at most `limit`.
    case figure(name: String, atMost: Double)
    /// A figure that Firn's trials report under `name` is at least `limit`.
    case figureAtLeast(name: String, Double)
    /// A figure of Firn divided by the same figure of `side` is at most `limit`.
    case figureRatio(name: String, atMost: Double, of: String)
}
