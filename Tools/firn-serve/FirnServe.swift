#if Server
import ArgumentParser
import FirnServer
import Foundation

/// Serves a store's change feed and history over HTTP. `firn serve` runs it.
@main
struct FirnServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firn serve",
        abstract: "Serves a store's changes and history over HTTP, to programs and to a browser.",
        discussion: """
            STORE is the path of a store, for example Library.sqlite; other processes may write to it meanwhile. \
            Nothing is changed, unless --allow-revert lets people undo and restore. Without --host only this machine \
            is served. Others need a token, which clients send as 'Authorization: Bearer TOKEN', and a browser as the \
            password of its dialog.
            """,
        version: "1.0.0-beta.1")

    @Argument(help: "The path of the store.", completion: .file()) var store: String
    @Option(help: ArgumentHelp("The address to listen at.", valueName: "address")) var host = "127.0.0.1"
    @Option(help: ArgumentHelp("The port to listen at; 0 for any that is free.", valueName: "number")) var port = 8080
    @Option(help: ArgumentHelp("A file whose first line is the token.", valueName: "file"), completion: .file())
    var tokenFile: String?
    @Option(
        help: ArgumentHelp("A certificate chain in PEM; with --tls-key.", valueName: "file"), completion: .file())
    var tlsCert: String?
    @Option(help: ArgumentHelp("The certificate's key in PEM.", valueName: "file"), completion: .file())
    var tlsKey: String?
    @Option(help: ArgumentHelp("A name that clients may use for this service.", valueName: "name"))
    var allowHost: [String] = []
    @Flag(help: "Offer buttons that undo a record or restore an object; with --token-file.") var allowRevert = false
    @Option(help: ArgumentHelp("How long a question may take, in seconds.", valueName: "seconds"))
    var queryTimeout = 5.0

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535.") }
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("Give --tls-cert and --tls-key together.")
        }
        guard !allowRevert || tokenFile != nil else {
            throw ValidationError("Give --token-file with --allow-revert: who may look may not write.")
        }
        guard queryTimeout > 0 else { throw ValidationError("--query-timeout is more than 0.") }
        guard tokenFile != nil || ServerProgram.isLoopback(host) else {
            throw ValidationError(
                "Other machines can reach \(host): give --token-file, or leave --host out to answer this machine only.")
        }
    }

    func run() async throws {
        var options = ChangeFeedOptions()
        options.allowedHosts = Set(allowHost)
        if !ServerProgram.isLoopback(host) { options.allowedHosts.insert(host) }
        options.allowsRevert = allowRevert
        options.queryTimeout = .seconds(queryTimeout)
        do {
            options.token = try tokenFile.map { try ServerProgram.token(inFile: $0) }
            try await ServerProgram(
                store: store, host: host, port: port, certificate: tlsCert, key: tlsKey, options: options
            ).run()
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("firn serve: \(error)\n".utf8))
            throw ExitCode(2)
        }
    }
}
#else
import Foundation

/// What stands in for the server in a build without it.
@main
enum FirnServe {
    static func main() {
        let message = """
            firn serve: this firn-serve was built without the server; build it with
                swift build -c release --traits Server --product firn-serve

            """
        try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
        exit(2)
    }
}
#endif
