package import Foundation

/// The values that sort descriptors read of one object, kept, so that the object's place in a sorted list is still
/// known after the object has changed.
package struct SortValues {
    /// Plain values are kept as they are compared; others as they were read.
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001.
        case date(Double)
        case text(String)
        case other(Any)
    }

    let values: [Value]
}

extension DescriptorOrder {
    /// Reads what the descriptors compare. A descriptor of a subclass compares objects: of it the object is kept.
    package func values(of object: Any) -> SortValues {
        SortValues(
            values: descriptors.map { descriptor in
                guard type(of: descriptor) == NSSortDescriptor.self else { return .other(object) }
                return SortValues.Value(descriptor.rule.value(of: object), descriptor.rule)
            })
    }

    /// The order of two objects whose values were read before.
    package func compare(_ a: SortValues, _ b: SortValues) -> ComparisonResult {
        for (index, descriptor) in descriptors.enumerated() {
            let order = SortValues.compare(a.values[index], b.values[index], descriptor)
            if order != .orderedSame { return order }
        }
        return .orderedSame
    }
}

extension SortValues {
    fileprivate static func compare(
        _ a: Value, _ b: Value, _ descriptor: NSSortDescriptor
    ) -> ComparisonResult {
        let order: ComparisonResult
        switch (a, b) {
        case (.integer(let a), .integer(let b)): order = FirnFoundation.order(a, b)
        case (.real(let a), .real(let b)), (.date(let a), .date(let b)):
            order = FirnFoundation.order(a, b)
        case (.text(let a), .text(let b)): order = PlainText.orderOfUnits(a, b)
        default:
            guard type(of: descriptor) == NSSortDescriptor.self else {
                return descriptor.compare(a.object ?? NSNull(), to: b.object ?? NSNull())
            }
            return descriptor.rule.compare(a.object, b.object)
        }
        return descriptor.ascending ? order : order.opposite
    }
}

extension SortValues.Value {
    /// Plain only where the values' own order is meant: other rules compare the values as they were read.
    fileprivate init(_ value: Any?, _ rule: SortRule) {
        guard let value else {
            self = .null
            return
        }
        guard rule.comparator == nil, case .natural = rule.comparison else {
            self = .other(value)
            return
        }
        switch PlainValue(value) {
        case .string(let text): self = .text(text)
        case .number(.integer(let number)): self = .integer(number)
        // NaN has no place among the others, which is for the general comparison to say.
        case .number(.double(let number)) where !number.isNaN: self = .real(number)
        case .date(let date): self = .date(date.timeIntervalSinceReferenceDate)
        default: self = .other(value)
        }
    }

    fileprivate var object: Any? {
        switch self {
        case .null: nil
        case .integer(let value): value
        case .real(let value): value
        case .date(let value): Date(timeIntervalSinceReferenceDate: value)
        case .text(let value): value
        case .other(let value): value
        }
    }
}
