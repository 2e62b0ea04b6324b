import ArgumentParser
import FirnLog

/// `firn replicate`: one log follows another.
struct Replicate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a log into another one, and goes on as records are added.",
        discussion: """
            FROM and TO are stores or addresses: postgresql://user@host/database#name. Nothing else may write to TO. \
            When a server is away, this waits for it. It runs until it is interrupted.
            """)

    @Argument(help: "The log that is followed.") var from: String
    @Argument(help: "The log that follows.") var to: String
    @Option(help: ArgumentHelp("End when that record was copied.", valueName: "record")) var until: UInt64?

    func run() throws {
        let source = try LogLocation(from).open()
        let target = try LogLocation(to).openOrCreate(continuing: source)
        let watch = try source.watch()
        var output = Output()
        while true {
            do {
                let (count, end) = try LogTransfer(source: source, target: target).run()
                if count > 0 {
                    output.line("\(LogLocation(to).name): record \(end.sequence)")
                    output.flush()
                }
                if let until, end.sequence.rawValue >= until { return }
                guard try watch.wait(after: end.sequence) else { return }
            } catch let error as LogError where error.code == .unreachable || error.code == .outcomeUnknown {
                // Both ends can be asked again; what was copied is not copied twice.
                Console.complain(error.description)
            }
        }
    }
}
