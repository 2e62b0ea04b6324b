import Foundation

/// Runs workloads: round after round, in each the sides one after the other, each in a process of its own, so that
/// no side warms or fills the memory of the next.
struct Runner {
    let folder: URL
    let rounds: Int
    let divisor: Int
    /// Says what runs now; for a terminal.
    let progress: (String) -> Void

    func run(_ workload: Workload) throws -> Outcome {
        var results: [[String: TrialResult]] = []
        for round in 1...rounds {
            var ofRound: [String: TrialResult] = [:]
            for side in workload.sides {
                progress("\(workload.name)  round \(round) of \(rounds)  \(side.name)")
                ofRound[side.name] = try trial(workload, side)
            }
            results.append(ofRound)
        }
        return Outcome(workload, rounds: results)
    }

    private func trial(_ workload: Workload, _ side: Side) throws -> TrialResult {
        let place = folder.appendingPathComponent("\(workload.name)-\(side.name)")
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            ["trial", workload.name, side.name, "--folder", place.path, "--divide", "\(divisor)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0,
            let result = try? JSONDecoder().decode(TrialResult.self, from: data)
        else {
            throw TrialFailed(workload: workload.name, side: side.name, status: process.terminationStatus)
        }
        return result
    }
}

struct TrialFailed: Error, CustomStringConvertible {
    let workload: String
    let side: String
    let status: Int32

    var description: String {
        "\(workload): the side \(side) failed with status \(status); what it said stands above. "
            + "Run it alone with: bench trial \(workload) \(side) --folder FOLDER"
    }
}
