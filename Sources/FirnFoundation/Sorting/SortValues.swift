package import Foundation

/// The values that sort descriptors read of one object. They give the object's place in a sorted list after the object
/// has changed.
package struct SortValues {
    /// Plain values are stored in the form in which they are compared, others as they were read.
    enum Field {
        case null
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001.
        case date(Double)
        case text(String)
        case other(Any)
    }

    let values: [Field]
}

extension DescriptorOrder {
    /// Reads what the descriptors compare. For a descriptor of a subclass, which compares objects, the object itself is
    /// stored.
    package func values(of object: Any) -> SortValues {
        SortValues(
            values: descriptors.map { descriptor in
                guard type(of: descriptor) == NSSortDescriptor.self else { return .other(object) }
                return SortValues.Field(descriptor.rule.value(of: object, joinsRows: joinsRows), descriptor.rule)
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
        _ a: Field, _ b: Field, _ descriptor: NSSortDescriptor
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

extension SortValues.Field {
    /// Plain only for the natural order: other rules compare the values as they were read.
    fileprivate init(_ value: Any?, _ rule: SortRule) {
        guard let value else {
            self = .null
            return
        }
        guard rule.comparator == nil, rule.comparison.isNatural else {
            self = .other(value)
            return
        }
        switch PlainValue(value) {
        case .string(let text): self = .text(text)
        case .number(.integer(let number)): self = .integer(number)
        // NaN is left to the general comparison, because it has no order among numbers.
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
