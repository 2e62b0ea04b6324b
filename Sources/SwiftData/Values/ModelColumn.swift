#if SwiftData
import Firn
import protocol FirnFoundation.AnyOptional
import FirnModel
import FirnRuntime
import Foundation

/// How values of a type are stored: in a column, in several, or encoded.
///
/// Unchecked as it has a subclass: both are immutable, and the functions of `ModelColumn` capture other columns only.
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

    /// Whether values fill one attribute as they are.
    var isPlain: Bool { false }
    /// The type of the values.
    var valueType: Any.Type { Any.self }

    /// The name of the column under this name; of a structure, those of its parts.
    func names(_ name: String) -> [String] {
        guard case .composite(let parts) = form else { return [name] }
        return parts.flatMap { $0.column.names(name + "." + $0.name) }
    }

    /// The stored form of a value of the column's type; nil for a value of another type, and for nil.
    func stored(any value: Any) -> Any? { nil }

    /// The value of a stored form.
    func anyValue(_ stored: Any?) -> Any? { nil }

    /// The value of a stored form; nil for a case that the program does not know.
    final func knownValue(_ stored: Any?) -> Any? {
        if isOptional || stored == nil { return anyValue(stored) }
        return optional().anyValue(stored).flatMap { ($0 as? any AnyOptional)?.unwrapped }
    }

    /// Gives a managed object what a model in no context kept.
    func attach(_ value: AttributeValue, to object: NSManagedObject, _ place: borrowing SlotLookup) {}

    /// The value of a managed object, as a model in no context keeps it. It is not decoded: nobody may read it.
    func captured(from object: NSManagedObject, _ place: borrowing SlotLookup) -> AttributeValue { .null }

    /// A value of the column's type, as a model in no context keeps it; nil for a value of another type.
    func kept(any value: Any) -> AttributeValue? { nil }

    /// The stored form of what a model in no context keeps.
    func stored(kept: AttributeValue) -> Any? { nil }

    /// The column of the optional type, with nil among its values.
    func optional() -> AnyColumn { self }

    /// Puts the value of a stored form into a structure that is being made.
    func put(_ stored: Any?, into memory: StructLayout.Memory, at offset: Int) {}

    /// The stored form of a stored property of `value`.
    func stored<Value>(fieldOf value: Value, at offset: Int) -> Any? { nil }
}

/// A stored property of a structure whose properties are columns.
struct CompositeElement {
    let name: String
    let offset: Int
    let column: AnyColumn
}

/// A structure that left its context, as the managed object had it: it is decoded when somebody reads it.
private struct StoredComposite {
    let parts: [String: Any]?
}

/// How values of a type that fills one attribute pass between it and a model.
struct PlainCoding<Value> {
    let decode: (AttributeValue) -> Value
    let encode: (Value) -> AttributeValue
    /// Gives nil where `decode` stops the program.
    var decodeIfPossible: ((AttributeValue) -> Value?)?
}

/// How values of `Value` are stored.
final class ModelColumn<Value>: AnyColumn, @unchecked Sendable {
    /// The value of a stored form, as managed objects give it.
    let decode: (Any?) -> Value
    /// The stored form of a value.
    let encode: (Value) -> Any?
    /// Gives nil where `decode` stops the program; nil where that does not.
    private let decodeIfPossible: ((Any?) -> Value?)?
    /// Of a type that fills one attribute: the short way.
    let plain: PlainCoding<Value>?

    init(
        _ form: Form, isOptional: Bool = false, isEncoded: Bool = false, plain: PlainCoding<Value>? = nil,
        decode: @escaping (Any?) -> Value, decodeIfPossible: ((Any?) -> Value?)? = nil,
        encode: @escaping (Value) -> Any?
    ) {
        self.decode = decode
        self.decodeIfPossible = decodeIfPossible
        self.encode = encode
        self.plain = plain
        super.init(form: form, isOptional: isOptional, isEncoded: isEncoded)
    }

    override var valueType: Any.Type { Value.self }

    override func stored(any value: Any) -> Any? { (value as? Value).flatMap(encode) }

    override func kept(any value: Any) -> AttributeValue? { (value as? Value).map(kept) }

    override func stored(kept: AttributeValue) -> Any? { value(kept: kept).flatMap(encode) }

    override func anyValue(_ stored: Any?) -> Any? { decode(stored) }

    override func optional() -> AnyColumn {
        let (decode, encode) = (decodeIfPossible ?? decode, encode)
        return ModelColumn<Value?>(
            form, isOptional: true, isEncoded: isEncoded, plain: plain?.optional, decode: { $0.flatMap { decode($0) } },
            encode: { $0.flatMap(encode) })
    }

    override func attach(_ value: AttributeValue, to object: NSManagedObject, _ place: borrowing SlotLookup) {
        switch value {
        case .object(let value as Value) where !isPlain: write(value, to: object, place)
        case .object(let stored as StoredComposite): object.setValue(stored.parts, forKey: place.key)
        default: if plain != nil { object.setPlainValue(value, at: place) }
        }
    }

    override func captured(from object: NSManagedObject, _ place: borrowing SlotLookup) -> AttributeValue {
        if plain != nil { return object.plainValue(at: place) }
        return .object(StoredComposite(parts: object.value(forKey: place.key) as? [String: Any]))
    }

    override var isPlain: Bool { plain != nil && !isEncoded }

    /// The value that a managed object has.
    func read(_ object: NSManagedObject, _ place: borrowing SlotLookup) -> Value {
        if let plain { return plain.decode(object.plainValue(at: place)) }
        return decode(object.value(forKey: place.key))
    }

    /// Gives a managed object a value.
    func write(_ value: Value, to object: NSManagedObject, _ place: borrowing SlotLookup) {
        if let plain { return object.setPlainValue(plain.encode(value), at: place) }
        object.setValue(encode(value), forKey: place.key)
    }

    /// A value as a model in no context keeps it; one that is stored encoded stays as it is.
    func kept(_ value: Value) -> AttributeValue {
        if let plain, !isEncoded { return plain.encode(value) }
        return .object(value)
    }

    /// The value that a model in no context keeps; nil for one of another type.
    func value(kept: AttributeValue) -> Value? {
        switch kept {
        case .object(let value as Value) where !isPlain: return value
        case .object(let stored as StoredComposite): return decode(stored.parts)
        default: return plain?.decode(kept)
        }
    }

    override func put(_ stored: Any?, into memory: StructLayout.Memory, at offset: Int) {
        memory.set(decode(stored), at: offset)
    }

    override func stored<Whole>(fieldOf value: Whole, at offset: Int) -> Any? {
        encode(StructLayout.read(value, at: offset, as: Value.self))
    }
}

extension PlainCoding {
    /// The coding of the optional type, with nil among its values.
    var optional: PlainCoding<Value?> {
        let (decode, encode) = (decodeIfPossible ?? decode, encode)
        return PlainCoding<Value?>(
            decode: { if case .null = $0 { nil } else { decode($0) } },
            encode: { $0.map(encode) ?? .null })
    }
}
#endif
