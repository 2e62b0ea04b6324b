#if Server
import Foundation

/// The host that a request names, without its port. https://www.rfc-editor.org/rfc/rfc3986#section-3.2
struct HostName {
    let name: String
    private let isLiteral: Bool

    /// Nil unless the text is a host, perhaps with a port, and nothing else.
    init?(_ authority: String) {
        let host: Substring
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = authority[...end]
            name = String(host.dropFirst().dropLast())
            isLiteral = Self.isAddress(name, AF_INET6)
        } else {
            host = authority.prefix { $0 != ":" }
            name = host.lowercased()
            isLiteral = Self.isAddress(name, AF_INET)
        }
        let port = authority[host.endIndex...]
        guard port.isEmpty || port.first == ":" && port.utf8.dropFirst().allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
    }

    /// An address is always allowed: only a name can be made to point elsewhere.
    func isAllowed(_ names: Set<String>) -> Bool {
        isLiteral || name == "localhost" || names.contains { $0.lowercased() == name }
    }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var address = in6_addr()
        return !text.contains("\0") && inet_pton(family, text, &address) == 1
    }
}
#endif
