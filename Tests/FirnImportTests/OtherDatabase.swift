import FirnImport
import FirnSQLite
import Foundation
import TestSupport

/// A SQLite file that is no store.
enum OtherDatabase {
    static func make(in directory: TemporaryDirectory) throws -> URL {
        let url = directory.file("Other.sqlite")
        let connection = try Connection(.file(url.path), mode: .create)
        try connection.execute("CREATE TABLE things (name TEXT)")
        return url
    }
}
