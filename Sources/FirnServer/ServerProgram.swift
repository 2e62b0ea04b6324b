#if Server
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL

/// The program that `firn-serve` runs: the routes of one store, in an application of their own.
public struct ServerProgram: Sendable {
    /// A connection that has asked for nothing for so long is closed; so is one that sends its request slowly.
    private static let idleTimeout = TimeAmount.seconds(30)
    /// A predicate and its arguments, percent-encoded, are among the fields.
    private static let headerSizeMax = 64 * 1024
    private static let headerCountMax = 100

    private let feed: ChangeFeed
    private let host: String
    private let port: Int
    private let certificate: String?
    private let key: String?

    /// Throws where there is no store at the path.
    public init(
        store: String, host: String, port: Int, certificate: String?, key: String?, options: ChangeFeedOptions
    ) throws {
        feed = try ChangeFeed(storeAt: URL(fileURLWithPath: Self.path(ofStore: store)), options: options)
        self.host = host
        self.port = port
        self.certificate = certificate
        self.key = key
    }

    /// The path of the tables of a store that a person names by them or by the log's folder.
    private static func path(ofStore store: String) -> String {
        let suffix = "-log"
        return store.hasSuffix(suffix) ? String(store.dropLast(suffix.count)) : store
    }

    /// Whether only this machine reaches what listens at an address.
    public static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.wholeMatch(of: /127\.\d+\.\d+\.\d+/) != nil
    }

    /// The first line of a file. Throws for one that is too short to be a secret.
    public static func token(inFile path: String) throws -> String {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let token = text.prefix { !$0.isNewline }
        guard token.utf8.count >= 16 else {
            throw ProgramFailure(
                "\(path): the token has \(token.utf8.count) bytes; make one of at least 16, "
                    + "for example with openssl rand -hex 16")
        }
        return String(token)
    }

    /// Serves until a signal ends it.
    public func run() async throws {
        let router = Router(context: ChangeFeedContext.self, options: [.autoGenerateHeadEndpoints])
        // Before what is no route, too: it is refused in the same words.
        router.add(middleware: feed.accessGuard() as AccessGuard<ChangeFeedContext>)
        try feed.addGuardedRoutes(to: router)
        let scheme = certificate == nil ? "http" : "https"
        let shown = host.contains(":") ? "[\(host)]" : host
        var logger = Logger(label: "firn-serve")
        logger.logLevel = .error
        let app = Application(
            router: router, server: try server(),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: nil, backlog: 1024),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                let line = "serving \(feed.store.name) at \(scheme)://\(shown):\(port)/\n"
                try? FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
            }, logger: logger)
        try await app.runService()
        feed.stop()
    }

    private func server() throws -> HTTPServerBuilder {
        let http = HTTPServerBuilder { responder in
            ConnectionChannel(
                configuration: HTTP1Channel.Configuration(
                    idleTimeout: Self.idleTimeout,
                    httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                        maxHeaderFieldSize: Self.headerSizeMax, maxHeaderListSize: Self.headerSizeMax,
                        maxHeaderFieldCount: Self.headerCountMax)),
                responder: responder)
        }
        guard let certificate, let key else { return http }
        let chain = try NIOSSLCertificate.fromPEMFile(certificate).map(NIOSSLCertificateSource.certificate)
        let privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(privateKey))
        return try .tls(http, tlsConfiguration: configuration)
    }
}

/// Why the program cannot begin, in words.
struct ProgramFailure: LocalizedError, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    var errorDescription: String? { description }
}
#endif
