import Foundation

/// The parts of libpq's URL (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING). Texts stay
/// percent-encoded.
struct AddressParts {
    /// One server that is tried: a name, an address or a socket's folder, and the text of its port.
    struct Host: Hashable {
        var name: String
        /// Empty for the default.
        var port: String
    }

    var scheme: String
    /// Empty if the address names none.
    var user = ""
    /// Empty if the address has none. Never shown.
    var password = ""
    /// Empty if the address names none.
    var hosts: [Host] = []
    var database = ""
    /// The options after the question mark, without hosts, ports and user.
    var options: [(name: String, value: String)] = []

    /// - Parameter server: begins with a scheme and `://`.
    init(_ server: String) {
        let mark = server.range(of: "://")
        scheme = String(server[..<(mark?.lowerBound ?? server.startIndex)])
        var rest = server[(mark?.upperBound ?? server.startIndex)...]
        var query: Substring = ""
        if let question = rest.firstIndex(of: "?") {
            query = rest[rest.index(after: question)...]
            rest = rest[..<question]
        }
        if let at = rest.lastIndex(of: "@") {
            let names = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = String(names[0])
            password = names.count > 1 ? String(names[1]) : ""
            rest = rest[rest.index(after: at)...]
        }
        if let slash = rest.firstIndex(of: "/") {
            database = String(rest[rest.index(after: slash)...])
            rest = rest[..<slash]
        }
        if !rest.isEmpty { hosts = Self.list(rest).map(Self.host) }
        readOptions(query)
    }

    /// Reads the options, which overrule the text before them.
    private mutating func readOptions(_ query: Substring) {
        var ports: [String] = []
        for option in query.split(separator: "&") {
            let sides = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (String(sides[0]), sides.count > 1 ? String(sides[1]) : "")
            switch name {
            case "host": hosts = Self.list(value).map { Host(name: $0, port: "") }
            case "port": ports = Self.list(value)
            case "user": user = value
            case "password": password = value
            default: options.append((name, value))
            }
        }
        if ports.isEmpty { return }
        if hosts.isEmpty { hosts = [Host(name: "", port: "")] }
        for index in hosts.indices where index < ports.count || ports.count == 1 {
            hosts[index].port = ports.count == 1 ? ports[0] : ports[index]
        }
    }

    private static func list(_ text: some StringProtocol) -> [String] {
        text.replacingOccurrences(of: "%2C", with: ",").split(separator: ",", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// `db:5432`, or `[::1]:5432`.
    private static func host(_ text: String) -> Host {
        let end = text.lastIndex(of: "]") ?? text.startIndex
        guard let colon = text[end...].lastIndex(of: ":") else { return Host(name: text, port: "") }
        return Host(name: String(text[..<colon]), port: String(text[text.index(after: colon)...]))
    }

    /// The hosts with their ports, as in an address.
    var hostList: String {
        hosts.map { host in
            let name = host.name.hasPrefix("/") ? host.name.replacingOccurrences(of: "/", with: "%2F") : host.name
            return host.port.isEmpty ? name : name + ":" + host.port
        }.joined(separator: ",")
    }

    /// libpq's URL with everything but the user and the database behind the question mark, as a URL of Foundation's.
    var url: String {
        var query = options
        if !hosts.isEmpty {
            // Foundation's URL has brackets in the host only, and libpq wants none here.
            let names = hosts.map { $0.name.filter { $0 != "[" && $0 != "]" } }
            query.append(("host", names.joined(separator: ",")))
            if hosts.contains(where: { !$0.port.isEmpty }) {
                query.append(("port", hosts.map(\.port).joined(separator: ",")))
            }
        }
        if !user.isEmpty { query.append(("user", user)) }
        if !password.isEmpty { query.append(("password", password)) }
        let path = scheme + ":///" + database
        return query.isEmpty ? path : path + "?" + query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }
}

extension PostgresAddress {
    var parts: AddressParts { AddressParts(server) }

    /// The address in a form that `URL(string:)` understands, which it does not if there are several ports.
    var urlText: String {
        let text = server + "#" + Self.encoded(storeName)
        return URL(string: text) == nil ? parts.url + "#" + Self.encoded(storeName) : text
    }

    private static func encoded(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed) ?? name
    }
}
