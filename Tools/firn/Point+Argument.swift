import ArgumentParser
import FirnInspection
import FirnLog

/// Points as arguments.
extension Point {
    /// For arguments. Throws what says which points there are.
    static func parse(_ text: String) throws -> Point {
        if let point = Point(text) { return point }
        throw ValidationError("a point is \(examples)")
    }

    static let help = """
        POINT is the sequence number of a record, head (the last record), or a time, for which the last record that \
        is not later stands: \(Moment.examples), each in the local time zone, or 2026-11-21T05:21:33Z. A day, a week, \
        a month and a year stand for their first moment.
        """
}

extension Point {
    /// The point, after a line on standard error that says what a time was understood as.
    @discardableResult
    func explained(in log: SegmentLog) throws -> Point {
        if let explanation = try explanation(in: log) { Console.complain("note: " + explanation) }
        return self
    }

    /// Arguments in which a span such as `-2h`, which a parser takes for options, is `2h ago`.
    static func withoutDashes(_ arguments: [String]) -> [String] {
        let options = arguments.prefix { $0 != "--" }
        return options.map { argument in
            let rest = argument.dropFirst()
            guard argument.first == "-", rest.first?.isNumber == true, Moment(argument) != nil else { return argument }
            return rest + " ago"
        } + arguments.dropFirst(options.count)
    }
}
