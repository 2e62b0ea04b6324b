package import Synchronization

/// The kinds of logs that many machines share, by the scheme of their addresses. A program registers the kinds that it
/// uses before it opens such a store:
///
///     import FirnPostgres
///     PostgresLog.register()
public enum SharedLogs {
    private static let kinds = Mutex<[String: any SharedLogKind]>([:])

    /// Tests: the address of the shared log for every store at a path that has none of its own.
    package static let everywhere = Mutex(AddressRule())

    /// A structure, as a closure that is a mutex's whole value gets another layer of stack with each `withLock`.
    package struct AddressRule: Sendable {
        package var address: (@Sendable (_ path: String) -> String?)?
    }

    /// From now on addresses that begin with `scheme://` are of this kind.
    public static func register(_ kind: some SharedLogKind, for scheme: String) {
        kinds.withLock { $0[scheme] = kind }
    }

    /// The kind that an address is of; nil if none was registered for its scheme.
    public static func kind(of address: String) -> (any SharedLogKind)? {
        guard let scheme = scheme(of: address) else { return nil }
        return kinds.withLock { $0[scheme] }
    }

    /// The address as messages may show it: without passwords and options.
    public static func place(of address: String) -> String {
        kind(of: address)?.place(of: address) ?? (scheme(of: address) ?? "?") + "://…"
    }

    /// The address in a form that is a URL; nil if nothing in this program opens it.
    public static func url(of address: String) -> String? { kind(of: address)?.url(of: address) }

    /// The text before `://`; nil if the text is no such address.
    public static func scheme(of address: String) -> String? {
        let scheme = address.prefix { $0 != ":" }
        let rest = address[scheme.endIndex...]
        return !scheme.isEmpty && rest.hasPrefix("://") ? String(scheme) : nil
    }
}

/// One kind of log that many machines share, such as one on a PostgreSQL server.
public protocol SharedLogKind: Sendable {
    /// How long saves fail at once after the server was unreachable, before one asks it again. In microseconds.
    var pause: Int64 { get }

    /// Whether its watches are `ServerWatch`es, which ask the server while it is unreachable.
    var watchesServer: Bool { get }

    /// The address without passwords and options, for messages. Nil if it is not one of this kind.
    func place(of address: String) -> String?

    /// The address in a form that `URL(string:)` understands; nil if it is not one of this kind. An address with
    /// several hosts and ports is no URL.
    func url(of address: String) -> String?

    /// Opens a log that is there. Throws `missing` if there is none, `unreachable` if the server does not answer,
    /// `storeMismatch` if its UUID is not the expected one. Nothing is written.
    func open(_ address: String, expecting: StoreID?) throws -> any ChangeLog

    /// Makes a log without records. Throws `alreadyExists` if there is one.
    func create(_ address: String, storeID: StoreID) throws -> any ChangeLog

    /// Removes a log with everything of its store. Throws `missing` if there is none.
    func destroy(_ address: String) throws
}

extension SharedLogKind {
    public func url(of address: String) -> String? { place(of: address).map { _ in address } }
}
