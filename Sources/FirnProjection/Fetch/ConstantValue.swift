internal import FirnFoundation
internal import FirnLog
internal import FirnModel
internal import Foundation

/// A value of a predicate, whatever Swift or Foundation type it has.
enum ConstantValue {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(String)
    case date(Double)
    case blob([UInt8])
    case uuid([UInt8])
    case uri(String)
    case object(NSManagedObjectID)
    case entity(NSEntityDescription)
    case list([Any])
    case other

    init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        self.init(nonNull: value)
    }

    /// Of a value that is there.
    init(nonNull value: Any) {
        self = Self.usual(value) ?? Self.identity(value) ?? Self.scalar(value) ?? Self.collection(value) ?? .other
    }

    /// Whether a value represents null.
    static func isNull(_ value: Any?) -> Bool {
        guard let value else { return true }
        let type = Swift.type(of: value)
        if type == AnyHashable.self, let wrapped = value as? AnyHashable { return isNull(wrapped.base) }
        return type == NSNull.self
    }

    /// The types of nearly all values. Comparing the exact type is much faster than a cast that may bridge.
    private static func usual(_ value: Any) -> ConstantValue? {
        let type = Swift.type(of: value)
        if type == NSNumber.self { return number(exactly(value)) }
        if type == String.self { return .text(exactly(value)) }
        if type == Int.self, let value = value as? Int { return .integer(Int64(value)) }
        if type == Int64.self, let value = value as? Int64 { return .integer(value) }
        if type == Date.self, let value = value as? Date { return .date(value.timeIntervalSinceReferenceDate) }
        if type == NSManagedObjectID.self, let value = value as? NSManagedObjectID {
            return .object(value.current)
        }
        return nil
    }

    private static func identity(_ value: Any) -> ConstantValue? {
        switch value {
        case let value as any IdentityProviding:
            (value.comparisonIdentity as? NSManagedObjectID).map { .object($0) }
        case let value as NSEntityDescription: .entity(value)
        case let wrapped as AnyHashable where Swift.type(of: value) == AnyHashable.self:
            ConstantValue(wrapped.base)
        default: nil
        }
    }

    private static func scalar(_ value: Any) -> ConstantValue? {
        switch value {
        case is NSNull: .null
        case let value as String: .text(value)
        case let value as any StringProtocol: .text(String(value))
        case let value as NSDecimalNumber: .decimal(value.decimalValue)
        case let number as NSNumber where Swift.type(of: value) is AnyClass: Self.number(number)
        case let value as Bool: .boolean(value)
        case let value as Double: .real(value)
        case let value as any BinaryFloatingPoint: .real(Double(value))
        case let value as Decimal: .decimal(value)
        case let value as any BinaryInteger:
            Int64(exactly: value).map { .integer($0) } ?? .real(Double(value))
        case let value as Date: .date(value.timeIntervalSinceReferenceDate)
        case let value as UUID: withUnsafeBytes(of: value.uuid) { .uuid([UInt8]($0)) }
        case let value as URL: .uri(value.absoluteString)
        case let value as Data: .blob([UInt8](value))
        default: nil
        }
    }

    private static func number(_ number: NSNumber) -> ConstantValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .real(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max):
            .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    /// A range may have more members than there is memory for.
    private static let listCountMax = 1_000_000

    private static func collection(_ value: Any) -> ConstantValue? {
        switch value {
        case let value as NSOrderedSet: .list(value.array)
        case let value as NSSet: .list(value.allObjects)
        case let value as NSArray: .list(value.map { $0 })
        case let value as [Any]: .list(value)
        case let value as Set<AnyHashable>: .list(value.map { $0 })
        case let value as NSDictionary: .list(value.allValues)
        case let value as [AnyHashable: Any]: .list(Array(value.values))
        case let value as any AnyOptional: ConstantValue(value.unwrapped)
        case let value as any Collection where value.count <= listCountMax: .list(value.map { $0 })
        default: nil
        }
    }

    /// The type that the value has by itself.
    var type: SQLType {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .real: .real
        case .decimal: .decimal
        case .text: .text
        case .date: .date
        case .blob: .blob
        case .uuid: .uuid
        case .uri: .uri
        case .entity: .entity
        case .null, .object, .list, .other: .any
        }
    }

    /// The value in the form that a column of `type` has; nil if no such column can ever hold an equal value.
    ///
    /// As SQLite's columns do, one of numbers converts a text that is a number, and one of texts converts a number.
    /// A date counts as its seconds since 2001. An ID is a key of `store`, or of any store if that is nil.
    func stored(as type: SQLType, in store: StoreIdentity?) -> PropertyValue? {
        switch (type, self) {
        case (_, .null): .null
        case (.any, _): self.type == .any ? nil : stored(as: self.type, in: store)
        case (.boolean, _), (.integer, _), (.real, _): numeric
        case (.decimal, _): decimalText.map { .text($0) }
        case (.date, _): numeric
        case (.text, .text(let value)), (.uri, .uri(let value)), (.uri, .text(let value)):
            .text(value)
        case (.text, _), (.uri, _): number.map { .text(ColumnAffinity.text($0)) }
        case (.blob, .blob(let value)), (.blob, .uuid(let value)), (.uuid, .uuid(let value)),
            (.uuid, .blob(let value)):
            .blob(value)
        case (.reference(let root), .object(let id)): reference(id, root, store)
        default: nil
        }
    }

    /// The number that the value is to a column of numbers or of texts; nil for what is none.
    private var number: NumericValue? {
        switch self {
        case .boolean(let value): .integer(value ? 1 : 0)
        case .integer(let value): .integer(value)
        case .real(let value), .date(let value): .double(value)
        case .decimal(let value): .decimal(value)
        case .text(let text): ColumnAffinity.number(text)
        default: nil
        }
    }

    private var numeric: PropertyValue? {
        switch number {
        case .integer(let value): .integer(value)
        case .double(let value): .real(value)
        case .decimal(let value):
            Int64("\(value)").map { .integer($0) } ?? .real(value.nearestDouble)
        case .unsigned(let value): .real(Double(value))
        case nil: nil
        }
    }

    private var decimalText: String? {
        if case .text(let text) = self { return ColumnAffinity.decimal(text)?.description }
        return switch number {
        case .integer(let value): String(value)
        case .double(let value): DecimalText.text(of: value)
        case .decimal(let value): value.description
        case .unsigned(let value): String(value)
        case nil: nil
        }
    }

    var isNaN: Bool {
        switch self {
        case .real(let value), .date(let value): value.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }

    /// Whether the value is greater than all values of a column of numbers or dates.
    var isAboveAllNumbers: Bool {
        if case .text(let text) = self { ColumnAffinity.numeral(text) == nil } else { false }
    }

    /// A temporary identity is in no row, and one of another store in none of this store: zero is no object's key.
    private func reference(
        _ id: NSManagedObjectID, _ root: EntityNumber, _ store: StoreIdentity?
    ) -> PropertyValue? {
        if id.isTemporaryID || store.map(id.isIn) == false { return .integer(0) }
        return id.rootNumber == root.rawValue ? .integer(id.primaryKey) : nil
    }
}
