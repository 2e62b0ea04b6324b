import Foundation
import Glibc

/// Says to one client that it is a PostgreSQL of some version, and nothing more
/// (https://www.postgresql.org/docs/15/protocol-message-formats.html).
final class OldServer: Sendable {
    let port: Int

    init(version: String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(UInt16(bigEndian: address.sin_port))
        let authenticated = Self.message("R", [0, 0, 0, 0])
        let status = Self.message("S", Array("server_version\0\(version)\0".utf8))
        let greeting = authenticated + status + Self.message("Z", Array("I".utf8))
        Thread.detachNewThread {
            let client = accept(listener, nil, nil)
            var startup = [UInt8](repeating: 0, count: 1024)
            _ = read(client, &startup, startup.count)
            _ = send(client, greeting, greeting.count, Int32(MSG_NOSIGNAL))
            // Until the client has gone.
            while read(client, &startup, startup.count) > 0 {}
            close(client)
            close(listener)
        }
    }

    private static func message(_ kind: Unicode.Scalar, _ body: [UInt8]) -> [UInt8] {
        let size = UInt32(body.count + 4)
        return [UInt8(ascii: kind)] + withUnsafeBytes(of: size.bigEndian) { Array($0) } + body
    }
}
