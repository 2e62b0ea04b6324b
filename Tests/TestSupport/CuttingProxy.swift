import Foundation
import Glibc
import Synchronization

/// Stands between clients and a server; cuts a connection after a given byte, and holds back what a server says.
package final class CuttingProxy: @unchecked Sendable {
    package enum Direction: CaseIterable {
        case toServer
        case toClient
    }

    private struct State {
        /// What was let through, in each direction.
        var passed = [0, 0]
        /// Where to cut next, in bytes that may still pass.
        var cut: (direction: Direction, remaining: Int)?
        var cutCount = 0
        var connectionCount = 0
        /// What is held back on its way to clients; nil while nothing is.
        var held: [(client: Int32, bytes: [UInt8])]?
        /// Whether every connection is ended as soon as it is made.
        var isAway = false
        /// Descriptors of the connections that there are.
        var ends: Set<Int32> = []
    }

    package let port: Int
    private let serverPort: Int
    private let listener: Int32
    private let state = Mutex(State())
    /// Signalled with each piece that is held back.
    private let isHeld = DispatchSemaphore(value: 0)

    package init(serverPort: Int) throws {
        self.serverPort = serverPort
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(0)
        let bound = Self.withAddress(&address) { bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = Self.withAddress(&address) { pointer, _ in
            getsockname(listener, UnsafeMutablePointer(mutating: pointer), &size)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends listening; connections live on until one of their ends closes.
    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Cuts the connection that passes the next byte after so many, in that direction.
    package func cut(_ direction: Direction, after count: Int) { state.withLock { $0.cut = (direction, count) } }

    /// Ends all connections, and new ones at once, until it is called with false.
    package func setAway(_ isAway: Bool) {
        state.withLock { state in
            state.isAway = isAway
            if isAway { for end in state.ends { shutdown(end, Int32(SHUT_RDWR)) } }
        }
    }

    /// From now on what the server says waits for `release`.
    package func hold() { state.withLock { $0.held = [] } }

    /// Waits until the server has said something more that is held back.
    package func waitUntilHeld() { isHeld.wait() }

    /// Gives clients what was held back, all that is for one of them at once.
    package func release() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held ?? []
        }
        for (client, pieces) in Dictionary(grouping: held, by: \.client) {
            _ = Self.send(pieces.flatMap(\.bytes)[...], to: client)
        }
    }

    /// Bytes that were let through so far.
    package func passed(_ direction: Direction) -> Int {
        state.withLock { $0.passed[direction == .toServer ? 0 : 1] }
    }

    /// How many connections were tried so far.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    package var cutCount: Int { state.withLock { $0.cutCount } }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { return }
            state.withLock { $0.connectionCount += 1 }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.loopback(serverPort)
            let isConnected = Self.withAddress(&address, { connect(server, $0, $1) }) == 0
            let isWanted = state.withLock { state in
                if isConnected, !state.isAway { state.ends.formUnion([client, server]) }
                return !state.isAway
            }
            guard isConnected, isWanted else {
                close(client)
                close(server)
                continue
            }
            // Whichever side ends first ends both; the descriptors are closed when both pumps are done.
            let ends = Mutex(2)
            let done: @Sendable () -> Void = { [self] in
                shutdown(client, Int32(SHUT_RDWR))
                shutdown(server, Int32(SHUT_RDWR))
                let isLast = ends.withLock { count in
                    count -= 1
                    return count == 0
                }
                if isLast {
                    state.withLock { $0.ends.subtract([client, server]) }
                    close(client)
                    close(server)
                }
            }
            pump(client, server, .toServer, done)
            pump(server, client, .toClient, done)
        }
    }

    private func pump(
        _ source: Int32, _ target: Int32, _ direction: Direction, _ done: @escaping @Sendable () -> Void
    ) {
        Thread.detachNewThread { [self] in
            defer { done() }
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(source, &buffer, buffer.count)
                if count <= 0 { return }
                if direction == .toClient, holds(buffer[..<count], for: target) { continue }
                let (allowed, isCut) = allow(count, direction)
                if !Self.send(buffer[..<allowed], to: target) || isCut { return }
            }
        }
    }

    private func holds(_ bytes: ArraySlice<UInt8>, for client: Int32) -> Bool {
        let isHeldBack = state.withLock { state in
            state.held?.append((client, Array(bytes)))
            return state.held != nil
        }
        if isHeldBack { isHeld.signal() }
        return isHeldBack
    }

    /// Whether all of it could be sent.
    private static func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let written = Glibc.send(target, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                if written <= 0 { return false }
                sent += written
            }
            return true
        }
    }

    private func allow(_ count: Int, _ direction: Direction) -> (allowed: Int, isCut: Bool) {
        state.withLock { state in
            var (allowed, isCut) = (count, false)
            if let cut = state.cut, cut.direction == direction {
                allowed = min(count, cut.remaining)
                isCut = cut.remaining < count
                state.cut = isCut ? nil : (direction, cut.remaining - count)
                if isCut { state.cutCount += 1 }
            }
            state.passed[direction == .toServer ? 0 : 1] += allowed
            return (allowed, isCut)
        }
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withAddress(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(UnsafePointer($0), socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
