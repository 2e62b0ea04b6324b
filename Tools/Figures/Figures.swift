import FirnLog
import FirnPostgres
import Foundation

/// Measures logs and stores on a PostgreSQL server and those on this machine's disk, in one run, and prints a table
/// of each. It holds nothing: the figures are the machine's. `Tools/measure` starts it.
///
///     Figures [appends] [saves] [catch-up] [upkeep] [followers]
///     Figures large [megabytes [bytes a row]]
///
///     FIRN_POSTGRES    the server's address
///     FIRN_FOLLOWERS   PgBouncer's, for the followers; without it they are left out
@main
enum Figures {
    static func main() {
        let asked = CommandLine.arguments.dropFirst()
        if asked.first == "large" { return run([("large", LargeStore(Array(asked.dropFirst())).print)]) }
        guard let server = ProcessInfo.processInfo.environment["FIRN_POSTGRES"] else {
            complain("no server: start this with Tools/measure, where PostgreSQL is installed")
            exit(2)
        }
        let parts: [(name: String, print: () throws -> Void)] = [
            ("appends", AppendRates(server: server).print), ("saves", SaveTimes(server: server).print),
            ("catch-up", CatchUp(server: server).print), ("upkeep", Upkeep(server: server).print),
            ("followers", Followers(server: server).print),
        ]
        PostgresLog.register()
        run(parts.filter { asked.isEmpty || asked.contains($0.name) })
    }

    private static func run(_ parts: [(name: String, print: () throws -> Void)]) {
        do {
            for part in parts {
                let time = try Timing.seconds { try part.print() }
                say(String(format: "(%@ took %.0f s)\n", part.name as NSString, time))
            }
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    /// The address of a store on the server that nobody made yet.
    static func newStore(_ server: String) -> String { server + "#" + UUID().uuidString }

    static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    static func complain(_ text: String) { FileHandle.standardError.write(Data("figures: \(text)\n".utf8)) }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
}
