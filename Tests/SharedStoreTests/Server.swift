import FirnPostgres
import Foundation
import TestSupport

/// Where the shared logs of tests are.
enum Server: CaseIterable {
    /// In a folder. Machines hear of each other only when they save: so each save meets what came meanwhile.
    case deaf
    /// In a folder.
    case folder
    case postgres

    /// Those that are there.
    static var all: [Server] { PostgresServer.address == nil ? [.deaf, .folder] : allCases }
    static var following: [Server] { all.filter { $0 != .deaf } }

    /// The address of a store that nobody made yet.
    func address() throws -> String {
        switch self {
        case .deaf: return try FolderServer(isFollowed: false).address
        case .folder: return try FolderServer().address
        case .postgres:
            PostgresLog.register()
            return PostgresServer.address(database: "postgres") + "#" + UUID().uuidString
        }
    }
}
