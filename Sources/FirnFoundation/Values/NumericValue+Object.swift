import Foundation

extension NumericValue {
    /// The number as an object of Foundation's.
    var object: NSNumber {
        switch self {
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        }
    }
}
