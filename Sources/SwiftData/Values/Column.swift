#if SwiftData
import Firn
import FirnModel
import FirnRuntime
import Foundation

/// How values of a type are stored: in a column, in several, or encoded.
class AnyColumn: @unchecked Sendable {
    enum Form {
        case attribute(NSAttributeType)
        case composite([CompositeElement])
    }

    let form: Form
    let isOptional: Bool
    /// Whether stores see a text of JSON only: no predicate reaches into it.
    let isEncoded: Bool

    init(form: Form, isOptional: Bool, isEncoded: Bool) {
        self.form = form
        self.isOptional = isOptional
        self.isEncoded = isEncoded
    }

    /// The type of the values.
    var valueType: Any.Type { Any.self }

    /// The stored form of a value of the column's type; nil for a value of another type, and for nil.
    func stored(any value: Any) -> Any? { nil }

    /// The value of a stored form.
    func anyValue(_ stored: Any?) -> Any? { nil }

    /// The same type with nil among its values.
    func optional() -> AnyColumn { self }

    /// Puts the value of a stored form into a structure that is being made.
    func put(_ stored: Any?, into memory: StructMemory, at offset: Int) {}

    /// The stored form of a stored property of `value`.
    func stored<Value>(fieldOf value: Value, at offset: Int) -> Any? { nil }
}

/// A stored property of a structure whose properties are columns.
struct CompositeElement {
    let name: String
    let offset: Int
    let column: AnyColumn
}

/// How values of `Value` are stored.
final class Column<Value>: AnyColumn, @unchecked Sendable {
    /// The value of a stored form, as managed objects give it.
    let decode: (Any?) -> Value
    /// The stored form of a value.
    let encode: (Value) -> Any?

    init(
        _ form: Form, isOptional: Bool = false, isEncoded: Bool = false, decode: @escaping (Any?) -> Value,
        encode: @escaping (Value) -> Any?
    ) {
        self.decode = decode
        self.encode = encode
        super.init(form: form, isOptional: isOptional, isEncoded: isEncoded)
    }

    override var valueType: Any.Type { Value.self }

    override func stored(any value: Any) -> Any? { (value as? Value).flatMap(encode) }

    override func anyValue(_ stored: Any?) -> Any? { decode(stored) }

    override func optional() -> AnyColumn {
        let (decode, encode) = (decode, encode)
        return Column<Value?>(
            form, isOptional: true, isEncoded: isEncoded, decode: { $0.map { decode($0) } },
            encode: { $0.flatMap(encode) })
    }

    override func put(_ stored: Any?, into memory: StructMemory, at offset: Int) {
        memory.set(decode(stored), at: offset)
    }

    override func stored<Whole>(fieldOf value: Whole, at offset: Int) -> Any? {
        encode(StructMemory.read(value, at: offset, as: Value.self))
    }
}
#endif
