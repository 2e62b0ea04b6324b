import Foundation

/// The name that a person may have meant by one that does not exist.
package enum Suggestion {
    private static let listedMax = 30

    /// To be appended to a sentence that says that `name` is not among `known`: the nearest name, and which there are.
    package static func text(for name: String, among known: some Sequence<String>) -> String {
        let known = Set(known).sorted()
        guard !known.isEmpty else { return "; there are none" }
        let more = known.count > listedMax ? " and \(known.count - listedMax) more" : ""
        let list = known.prefix(listedMax).joined(separator: ", ") + more
        guard let nearest = nearest(to: name, among: known) else { return "; there are \(list)" }
        return known.count == 1 ? "; did you mean \(nearest)?" : "; did you mean \(nearest)? There are \(list)"
    }

    /// The name that differs from `name` in case alone, begins with it, or is a few typing errors away.
    package static func nearest(to name: String, among known: some Sequence<String>) -> String? {
        let wanted = name.lowercased()
        guard !wanted.isEmpty else { return nil }
        let errorsMax = max(1, wanted.count / 3)
        return known.map { ($0, distance($0.lowercased(), wanted)) }
            .filter { candidate, errors in
                errors <= errorsMax || wanted.count > 2 && candidate.lowercased().hasPrefix(wanted)
            }
            .min { $0.1 < $1.1 }?.0
    }

    /// How many letters to insert, delete, replace, or swap with the next one.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var errors = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    errors = min(errors, beforeLast[column - 1] + 1)
                }
                current.append(errors)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}

/// The failure that ends the tool early: a line for a person, and a status for a script.
package struct Failure: LocalizedError {
    package enum Status: Int32 {
        case damage = 1
        case unusable = 2
    }

    package var message: String
    package var status: Status

    package init(_ message: String, status: Status = .unusable) {
        self.message = message
        self.status = status
    }

    package var errorDescription: String? { message }
}
