import ArgumentParser
import Foundation

/// The program behind `Tools/bench`.
@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Compares Firn with SQLite's C interface and GRDB in one run.",
        subcommands: [Run.self, List.self, OneTrial.self, Follow.self, Edit.self, Read.self, Weigh.self],
        defaultSubcommand: Run.self)
}

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run workloads and print what they took.",
        discussion: "Status: 0 all ran (goals missed are told, and fail nothing); 1 sides disagreed or a trial failed.")

    @Argument(help: "Suites or workloads; all but the suites `long` and `models` if none is named. See `bench list`.")
    var names: [String] = []

    @Flag(help: "A tenth of the data and two rounds: to see that everything runs, not to quote.")
    var quick = false

    @Option(help: "How many times each side is run.")
    var rounds: Int?

    @Option(help: "Also write the outcome as JSON into this file.")
    var json: String?

    @Option(help: "Also put a table of the outcome into this page, between its two marks.")
    var page: String?

    @Option(help: "Also draw how the sides compare, as SVG, into this file.")
    var picture: String?

    @Option(help: "Where the databases are made; on the disk that is to be measured.")
    var folder = ".bench"

    func run() throws {
        let chosen = try workloads()
        let page = try page.map { try Page($0, ofModels: chosen.allSatisfy { $0.suite == .models }) }
        let rounds = rounds ?? (quick ? 2 : 5)
        let place = URL(fileURLWithPath: folder)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let isTerminal = isatty(2) == 1
        let runner = Runner(folder: place, rounds: rounds, divisor: quick ? 10 : 1) { text in
            if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
        }
        var outcomes: [Outcome] = []
        var hasFailed = false
        for workload in chosen {
            var text = ""
            do {
                let outcome = try runner.run(workload)
                text = Table.text(outcome)
                outcomes.append(outcome)
            } catch let failure as TrialFailed {
                // The others are worth their minutes all the same.
                text = "\(failure)"
                hasFailed = true
            }
            if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
            print(text + "\n")
        }
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(outcomes).write(to: URL(fileURLWithPath: json))
        }
        let day = Date().formatted(.iso8601.year().month().day())
        try page?.write(outcomes, rounds: rounds, day: day)
        if let picture { try Picture(outcomes, "\(rounds) rounds, \(day)").write(picture) }
        if hasFailed || outcomes.contains(where: { !$0.sidesAgree }) { throw ExitCode(1) }
    }

    private func workloads() throws -> [Workload] {
        if names.isEmpty { return Workload.all.filter(\.suite.isUsual) }
        return try names.flatMap { name in
            let found = Workload.all.filter { $0.name == name || $0.suite.rawValue == name }
            guard !found.isEmpty else {
                throw ValidationError("no suite or workload is named '\(name)'; `bench list` shows them")
            }
            return found
        }
    }
}

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the suites and their workloads.")

    func run() {
        for suite in Suite.allCases {
            print(suite.rawValue)
            for workload in Workload.all where workload.suite == suite {
                print("  \(workload.name): \(workload.summary)")
            }
        }
    }
}

/// One side of one workload, in this process. `Run` starts a process with it for each trial.
struct OneTrial: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trial", abstract: "Run one side of one workload once; prints JSON.")

    @Argument var workload: String
    @Argument var side: String
    @Option(help: "An empty folder.") var folder: String
    @Option(help: "How many times smaller than the full workload.") var divide = 1

    func run() throws {
        guard let found = Workload.all.first(where: { $0.name == workload })?.side(side) else {
            throw ValidationError("no side '\(side)' of a workload '\(workload)'; `bench list` shows workloads")
        }
        let trial = Trial(folder: URL(fileURLWithPath: folder), divisor: max(divide, 1))
        try found.run(trial)
        FileHandle.standardOutput.write(try JSONEncoder().encode(trial.result))
    }
}
