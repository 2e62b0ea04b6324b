internal import FirnSQLite

/// What a connection must know for the SQL of this module: functions and collations of our own.
enum ProjectionFunctions {
    static func install(on connection: Connection) throws {
        try connection.addCollation("firn_decimal", DecimalOrder.compare)
    }
}
