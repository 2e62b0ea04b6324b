import ArgumentParser
import FirnInspection

/// Points as arguments.
extension Point {
    /// For arguments. Throws what says which points there are.
    static func parse(_ text: String) throws -> Point {
        if let point = Point(text) { return point }
        throw ValidationError("a point is a record's number, a date like 2026-11-21 or '2026-11-21 06:21', or head")
    }

    static let help = """
        POINT is the sequence number of a record, a date like 2026-11-21T05:21:33Z or, in the local time zone, \
        '2026-11-21 06:21' (the last record that is not later), or head, the last record.
        """
}
