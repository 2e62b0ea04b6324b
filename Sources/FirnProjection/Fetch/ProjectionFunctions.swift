internal import FirnSQLite

/// What a connection must know for the SQL of this module: functions and collations of our own.
enum ProjectionFunctions {
    static func install(on connection: Connection) throws {
        try NumberFunctions.install(on: connection)
        try TextFunctions.install(on: connection)
    }
}
