internal import FirnSQLite
internal import Synchronization

/// Connections for reading that are open and idle.
///
/// A file that was replaced (a rebuild renames a new one over it) is noticed when a connection is taken.
final class ConnectionPool: Sendable {
    /// A connection goes from one thread to another only through the pool's lock.
    private struct Idle: @unchecked Sendable {
        var connections: [Connection] = []
        var fileIdentity: UInt64?
    }

    private let path: String?
    private let idle = Mutex(Idle())
    private let idleCountMax = Atomic(8)

    init(path: String?) { self.path = path }

    func take(_ open: () throws -> Connection) throws -> Connection {
        let identity = path.flatMap(ProjectionFile.identity)
        let kept = idle.withLock { idle -> Unchecked? in
            if idle.fileIdentity != identity {
                idle.connections.removeAll()
                idle.fileIdentity = identity
            }
            return idle.connections.popLast().map { Unchecked(connection: $0) }
        }
        return try kept?.connection ?? open()
    }

    func give(_ connection: Connection) {
        let returned = Unchecked(connection: connection)
        idle.withLock { idle in
            guard idle.connections.count < idleCountMax.load(ordering: .relaxed) else { return }
            idle.connections.append(returned.connection)
        }
    }

    func setIdleCountMax(_ count: Int) { idleCountMax.store(max(count, 0), ordering: .relaxed) }

    func reset() { idle.withLock { $0.connections.removeAll() } }

    private struct Unchecked: @unchecked Sendable {
        var connection: Connection
    }
}
