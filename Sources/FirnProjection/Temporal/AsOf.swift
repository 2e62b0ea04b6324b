internal import FirnLog
internal import FirnSQLite

/// The point that the views of one connection show: a sequence number, and its era in each table.
enum AsOf {
    /// Used by the thread that uses the connection.
    private final class Setting {
        var sequence: Int64 = -1
        var eras: [Int64] = []
    }

    /// `firn_as_of()` and `firn_era(place)` are constant while a statement runs, so SQLite may take them out of its
    /// loops.
    static func install(on connection: Connection) throws {
        let setting = Setting()
        try connection.addFunction("firn_as_of", argumentCount: 0) { _ in .integer(setting.sequence) }
        try connection.addFunction("firn_era", argumentCount: 1) {
            let place = Int($0.integer(0))
            return .integer(place < setting.eras.count ? setting.eras[place] : 0)
        }
        try connection.addFunction("firn_set_as_of", argumentCount: 1, isDeterministic: false) {
            setting.sequence = $0.integer(0)
            return .null
        }
        try connection.addFunction("firn_set_era", argumentCount: 2, isDeterministic: false) {
            let place = Int($0.integer(0))
            while setting.eras.count <= place { setting.eras.append(0) }
            setting.eras[place] = $0.integer(1)
            return .null
        }
    }

    /// The era of a sequence number that was applied never changes.
    static func set(_ sequence: SequenceNumber, _ layout: TableLayout, on connection: Connection) throws {
        if try connection.integer("SELECT firn_as_of()") == Int64(sequence.rawValue) { return }
        for place in 0..<(layout.tables.count + layout.links.count) {
            let era = try VersionEra.start(of: place, at: sequence, on: connection)
            try call("SELECT firn_set_era(?1, ?2)", [Int64(place), era], on: connection)
        }
        try call("SELECT firn_set_as_of(?1)", [Int64(sequence.rawValue)], on: connection)
    }

    private static func call(_ sql: String, _ values: [Int64], on connection: Connection) throws {
        try connection.withStatement(sql) { statement in
            for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
            _ = try statement.step()
        }
    }
}
