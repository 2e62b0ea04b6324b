import ArgumentParser
import Firn
import FirnImport
import FirnInspection
import FirnLog
import FirnProjection
import Foundation

/// Inspects and maintains a store. It needs the store alone, not the program that wrote it.
@main
struct FirnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firn",
        abstract: "Inspects and maintains a store.",
        discussion: """
            STORE is the path of a store, as the program that writes it names it: Library.sqlite. \
            The tool reads the log next to it, Library.sqlite-log. The program itself is not needed. Verbs that only \
            read also take the address of a store on a server: postgresql://user@host/database#name.

            Colours are used on a terminal, unless NO_COLOR is set.

            Exit status:
              0  all is well
              1  damage, or a difference between log and tables or a checkpoint, was found
              2  bad usage, no such store, or it could not be read or written

            Shell completion: firn --generate-completion-script bash (or zsh, fish) writes the script to load.
            """,
        version: "1.0.0-beta.1",
        subcommands: [
            Info.self, Stats.self, Browse.self, Log.self, Show.self, Blame.self, ObjectHistory.self, Search.self,
            Diff.self, AsOf.self, Fetch.self, SQL.self, Tail.self, Export.self, ImportChanges.self,
            Push.self, Pull.self, Replicate.self, Subscriptions.self, Serve.self, Verify.self,
            Checkpoint.self, Rebuild.self, Revert.self, Restore.self,
            Pack.self, Trim.self, Erase.self, Import.self, Model.self, Port.self,
        ])

    static func main() {
        acceptSignals()
        Console.openStandardFiles()
        do {
            let arguments = Point.withoutDashes(Array(CommandLine.arguments.dropFirst()))
            try checkVerbs(arguments)
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch {
            Foundation.exit(report(error))
        }
    }

    /// Throws for a verb that does not exist, with the nearest one.
    private static func checkVerbs(_ words: [String]) throws {
        var words = words[...]
        if words.first == "help" { words.removeFirst() }
        var commands = configuration.subcommands
        var parent = "firn"
        while let word = words.popFirst(), !word.hasPrefix("-"), !commands.isEmpty {
            let verbs = commands.map { ($0.configuration.commandName ?? "\($0)".lowercased(), $0) }
            guard let (verb, command) = verbs.first(where: { $0.0 == word }) else {
                if word == "help" { return }
                let nearest = Suggestion.nearest(to: word, among: verbs.map(\.0)).map { "did you mean \($0)? " } ?? ""
                throw Failure("\(parent) has no verb “\(word)”; \(nearest)'\(parent) --help' lists what it can do")
            }
            commands = command.configuration.subcommands
            parent += " " + verb
        }
    }

    /// Lets signals end the tool. A parent that starts it from a thread of a pool hands down a mask that blocks them.
    private static func acceptSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }

    /// An error in words. Foundation's own descriptions are dumps of several lines.
    static func words(_ error: any Error) -> String {
        guard error is CocoaError || type(of: error) is NSError.Type else { return "\(error)" }
        let error = error as NSError
        let path = (error.userInfo[NSFilePathErrorKey] as? String).map { $0 + ": " } ?? ""
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        return path + (underlying ?? error).localizedDescription
    }

    /// Says what went wrong and gives the status to end with.
    private static func report(_ error: any Error) -> Int32 {
        if let failure = error as? Failure {
            Console.complain(failure.message)
            return failure.status.rawValue
        }
        if let error = error as? LogError {
            Console.complain(error.description)
            return error.code == .damaged
                ? Failure.Status.damage.rawValue : Failure.Status.unusable.rawValue
        }
        if let error = error as? ProjectionError {
            Console.complain(error.description)
            return error.isAboutTables ? Failure.Status.damage.rawValue : Failure.Status.unusable.rawValue
        }
        if let error = error as? AppleStoreError {
            Console.complain(error.description)
            return error.code == .damaged
                ? Failure.Status.damage.rawValue : Failure.Status.unusable.rawValue
        }
        if let code = error as? ExitCode { return code.rawValue }
        switch exitCode(for: error) {
        case .success:  // help and version are thrown too
            Console.write(fullMessage(for: error) + "\n")
            return 0
        case .validationFailure:
            Console.writeError(fullMessage(for: error) + "\n")
        default: Console.complain(words(error))
        }
        return Failure.Status.unusable.rawValue
    }
}
