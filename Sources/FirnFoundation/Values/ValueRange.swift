import Foundation

/// A range of Swift's as the right side of `BETWEEN` and of `IN`.
protocol ValueRange {
    func includes(_ value: Any?) -> Bool
}

extension Range: ValueRange {
    func includes(_ value: Any?) -> Bool {
        let lower = ValueComparison.compare(lowerBound, value)
        return (lower == .orderedAscending || lower == .orderedSame)
            && ValueComparison.compare(value, upperBound) == .orderedAscending
    }
}

extension ClosedRange: ValueRange {
    func includes(_ value: Any?) -> Bool {
        let lower = ValueComparison.compare(lowerBound, value)
        let upper = ValueComparison.compare(value, upperBound)
        return (lower == .orderedAscending || lower == .orderedSame)
            && (upper == .orderedAscending || upper == .orderedSame)
    }
}
