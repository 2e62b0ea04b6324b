import CoreData
import Foundation

/// Starts savers and followers, kills them at random, and checks what is left.
struct Driver {
    let folder: String
    let firn: String
    let seconds: Double
    let seed: UInt64
    /// Of a log on a server; nil for a store that all processes share on this disk.
    let address: String?

    private static let saverCount = 4
    private static let followerCount = 4
    /// Milliseconds between two kills.
    private static let pause = 50...400
    /// Seconds without a line after which a follower counts as stuck.
    private static let timeout = 60.0

    /// Where the process with this name has the store. On a server's store each has a folder of its own.
    private func place(_ name: String) -> Place {
        Place(path: folder + (address == nil ? "" : "/" + name) + "/Torture.sqlite", address: address)
    }

    private func saver(_ worker: Int) -> Place { place("saver-\(worker)") }
    private func follower(_ number: Int) -> Place { place("follower-\(number)") }

    private var places: [Place] {
        guard address != nil else { return [place("")] }
        return (0..<Self.saverCount).map(saver) + (0..<Self.followerCount).map(follower)
    }

    /// Whether everything held.
    func run() throws -> Bool {
        // Made before the others come, so that they do not race for it.
        for place in places {
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: place.path).deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        _ = try Torture.open(places[0])
        let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        let server = address.map { [$0] } ?? []
        let savers = (0..<Self.saverCount).map { worker in
            Child(program) { _ in ["save", saver(worker).path, "\(worker)"] + server }
        }
        let followers = (0..<Self.followerCount).map { number in
            let path = follower(number).path
            return Child(address == nil ? URL(fileURLWithPath: firn) : program) { lines in
                let last = "\(lines.last.flatMap(Self.sequence) ?? 0)"
                return address == nil
                    ? ["tail", "--follow", "--json", "--after", last, path] : ["follow", path, last] + server
            }
        }
        // One packs the log's segments, each of the few records since it was last started.
        let packers =
            address == nil ? [Child(URL(fileURLWithPath: firn)) { _ in ["pack", "--all", places[0].path] }] : []
        for child in savers + followers + packers { try child.start() }
        let kills = try torment(savers + followers, packers)
        for child in savers + packers { child.kill() }
        return try check(savers, followers, kills: kills)
    }

    /// Kills a child at random, and starts it again, until the time is over. Returns how often.
    private func torment(_ children: [Child], _ packers: [Child]) throws -> Int {
        var random = Generator(state: seed)
        let end = Date(timeIntervalSinceNow: seconds)
        let never = DispatchSemaphore(value: 0)
        var kills = 0
        while Date() < end {
            _ = never.wait(timeout: .now() + .milliseconds(Int.random(in: Self.pause, using: &random)))
            guard let child = (children + packers).randomElement(using: &random) else { break }
            let status = child.ownStatus
            let mayEnd = packers.contains { $0 === child }
            if let status, !mayEnd || status != 0 {
                throw Ended(description: "a process ended by itself with \(status); see what it wrote above")
            }
            child.kill()
            if status == nil { kills += 1 }
            try child.start()
        }
        return kills
    }

    private func check(_ savers: [Child], _ followers: [Child], kills: Int) throws -> Bool {
        let context = try Torture.open(places[0])
        var problems: [String] = []
        var total = 0
        try context.performAndWait {
            for (worker, saver) in savers.enumerated() {
                let found = try Entry.numbers(of: Int64(worker), in: context)
                total += found.values.reduce(0) { $0 + $1.count }
                for (run, numbers) in found where numbers != (0..<Int64(numbers.count)).map({ $0 + 1 }) {
                    problems.append("saver \(worker), run \(run): the store has a gap, or an entry twice")
                }
                for (run, number) in Self.acknowledged(saver.lines) where (found[run]?.count ?? 0) < number {
                    problems.append(
                        "saver \(worker), run \(run): \(number) was acknowledged, the store has "
                            + "\(found[run]?.count ?? 0)")
                }
            }
        }
        // The first record is the model, which a feed of transactions does not tell of.
        let head = UInt64(total + 1)
        let first: UInt64 = address == nil ? 1 : 2
        for (index, follower) in followers.enumerated() {
            let isThere = follower.wait(timeout: Self.timeout) { Self.sequence($0) ?? 0 >= head }
            follower.kill()
            let seen = follower.lines.compactMap(Self.sequence)
            if !isThere { problems.append("follower \(index): it ends with \(seen.last ?? 0), not \(head)") }
            if seen != (0..<UInt64(seen.count)).map({ $0 + first }) {
                problems.append("follower \(index): it missed a record, had one twice, or out of order")
            }
        }
        problems += try compare(with: context)
        for problem in problems { Torture.complain("seed \(seed): \(problem)") }
        let perSecond = Int(Double(total) / seconds)
        Torture.say(
            "\(total) saves in \(Int(seconds)) s (\(perSecond) a second) by \(savers.count) processes, followed by "
                + "\(followers.count), \(kills) kills: "
                + (problems.isEmpty ? "all held" : "\(problems.count) problems"))
        return problems.isEmpty
    }

    /// Whether each log is sound, its tables are what a rebuild gives, and all copies show the same objects.
    private func compare(with context: NSManagedObjectContext) throws -> [String] {
        var problems: [String] = []
        let expected = try Entry.all(in: context)
        for place in places {
            if try Entry.all(in: Torture.open(place)) != expected {
                problems.append("\(place.path): it shows other objects than \(places[0].path)")
            }
            let verified = Process()
            verified.executableURL = URL(fileURLWithPath: firn)
            verified.arguments = ["verify", place.path]
            verified.standardOutput = FileHandle.nullDevice
            try verified.run()
            verified.waitUntilExit()
            if verified.terminationStatus != 0 {
                problems.append("\(place.path): firn verify ended with \(verified.terminationStatus)")
            }
        }
        return problems
    }

    /// The last number of each run that a saver said to be saved.
    private static func acknowledged(_ lines: [String]) -> [Int64: Int] {
        var last: [Int64: Int] = [:]
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 3, let run = Int64(words[1]), let number = Int(words[2]) else { continue }
            last[run] = max(last[run] ?? 0, number)
        }
        return last
    }

    /// Of a line of `firn tail --json`.
    private static func sequence(_ line: String) -> UInt64? {
        guard line.hasPrefix(#"{"sequence":"#) else { return nil }
        return UInt64(line.dropFirst(#"{"sequence":"#.count).prefix { $0.isNumber })
    }

    private struct Ended: Error, CustomStringConvertible {
        let description: String
    }
}

/// https://prng.di.unimi.it/splitmix64.c
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
