internal import FirnSQLite

/// Registers the functions and collations that the SQL of this module uses.
enum ProjectionFunctions {
    static func install(on connection: Connection) throws {
        try NumberFunctions.install(on: connection)
        try TextFunctions.install(on: connection)
    }
}
