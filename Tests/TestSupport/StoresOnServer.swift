import FirnLog
import FirnPostgres
import Foundation
import Synchronization

/// With `FIRN_STORES_ON_SERVER` set, and a server, the log of every store that a test makes on disk is there: the
/// suites of the object graph hold for shared stores too.
enum StoresOnServer {
    static let begin: Void = {
        let environment = ProcessInfo.processInfo.environment
        guard environment["FIRN_STORES_ON_SERVER"] != nil, let address = PostgresServer.address else { return }
        PostgresLog.register()
        SharedLogs.everywhere.withLock { everywhere in
            everywhere = { path in
                let name = String(decoding: path.utf8.suffix(150), as: UTF8.self)
                return address + "#" + name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
            }
        }
    }()
}
