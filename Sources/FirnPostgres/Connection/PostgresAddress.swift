import Foundation

/// Where a log is: a database, and the name of the store in it.
///
///     postgresql://ada@db1,db2/library?sslmode=verify-full#Notes
///     └───────────── libpq's own URL ─────────────────────┘ └ store
///
/// The name may be percent-encoded, as URLs need it. Several hosts with ports are no URL for Foundation: make that with
/// `URL(sharedLog:)`, or write `postgresql:///library?host=db1,db2&port=5432,5433&user=ada#Notes`.
///
/// Everything before the `#` is passed to libpq unchanged, with all its options
/// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING). Without a `#` the store is called `main`.
public struct PostgresAddress: Hashable, Sendable {
    /// libpq's part. It may hold a password: never shown.
    let server: String
    /// The store's name within the database.
    public let storeName: String

    static let schemes = ["postgresql", "postgres"]

    /// Nil unless the text begins with `postgresql://` or `postgres://`, or if the store's name is empty.
    public init?(_ text: String) {
        guard Self.schemes.contains(where: { text.hasPrefix($0 + "://") }) else { return nil }
        guard let mark = text.lastIndex(of: "#") else {
            server = text
            storeName = "main"
            return
        }
        let fragment = String(text[text.index(after: mark)...])
        let name = fragment.removingPercentEncoding ?? fragment
        guard !name.isEmpty, name.utf8.count <= 200 else { return nil }
        server = String(text[..<mark])
        storeName = name
    }

    /// The database of this address, with another store.
    public func store(_ name: String) -> PostgresAddress? { PostgresAddress(server + "#" + name) }
}

extension PostgresAddress: CustomStringConvertible {
    /// The address without password and options, with the hosts, ports and user that those name.
    public var description: String {
        let parts = parts
        let user = parts.user.isEmpty ? "" : parts.user + "@"
        let database = parts.database.isEmpty ? "" : "/" + parts.database
        return (parts.scheme + "://" + user + parts.hostList + database + "#" + storeName).printable
    }
}
