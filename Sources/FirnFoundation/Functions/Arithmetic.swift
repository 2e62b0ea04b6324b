import Foundation

/// Numbers as functions take them.
enum Arithmetic {
    /// The value as a number; nil for what is none, so also for a string of digits.
    static func number(_ value: Any) -> NSNumber? {
        switch value {
        case let number as NSNumber: number
        case let decimal as Decimal: NSDecimalNumber(decimal: decimal)
        case let number as any BinaryInteger:
            Int(exactly: number).map { NSNumber(value: $0) } ?? NSNumber(value: UInt64(clamping: number))
        case let number as any BinaryFloatingPoint: NSNumber(value: Double(number))
        default: nil
        }
    }
}
