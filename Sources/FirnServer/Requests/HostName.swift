#if Server
import Foundation

/// The host that a request names, without its port.
struct HostName {
    let name: String
    private let isLiteral: Bool

    init(_ authority: String) {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            name = String(authority[authority.index(after: authority.startIndex)..<end])
            isLiteral = Self.isAddress(name, AF_INET6)
        } else {
            name = authority.prefix { $0 != ":" }.lowercased()
            isLiteral = Self.isAddress(name, AF_INET)
        }
    }

    /// An address is always allowed: only a name can be made to point elsewhere.
    func isAllowed(_ names: Set<String>) -> Bool {
        isLiteral || name == "localhost" || names.contains { $0.lowercased() == name }
    }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var address = in6_addr()
        return inet_pton(family, text, &address) == 1
    }
}
#endif
