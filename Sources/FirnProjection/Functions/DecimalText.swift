internal import Foundation

/// Numbers in the notation of decimal columns.
enum DecimalText {
    /// A double is converted by its shortest text: 0.1 is the decimal 0.1.
    static func text(of value: Double) -> String {
        guard value.isFinite else { return notANumber }
        return (Decimal(string: "\(value)") ?? Decimal(value)).description
    }
}
