import FirnLog
import FirnPostgres
import Foundation
import Synchronization

/// With `FIRN_STORES_ON_SERVER` set, and a server, the log of every store that a test makes on disk is there: the
/// suites of the object graph hold for shared stores too.
///
/// `TemporaryDirectory` sees to it; whoever opens a store without one, as in the process of an exit test, says `begin`.
package enum StoresOnServer {
    /// Whether every store's log is on a server. There a program's copies follow the log by themselves, so that what
    /// a coordinator knows of another one's saves depends on the time.
    package static var isAsked: Bool { ProcessInfo.processInfo.environment["FIRN_STORES_ON_SERVER"] != nil }

    package static let begin: Void = {
        guard isAsked, let address = PostgresServer.address else { return }
        PostgresLog.register()
        SharedLogs.everywhere.withLock { rule in
            rule.address = { path in
                let name = String(decoding: path.utf8.suffix(150), as: UTF8.self)
                return address + "#" + name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
            }
        }
    }()
}
