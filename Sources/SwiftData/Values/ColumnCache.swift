#if SwiftData
import Firn
import protocol FirnFoundation.AnyOptional
import FirnModel
import FirnRuntime
import Foundation
import Synchronization

/// The columns of all types that models have used.
enum ColumnCache {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let isEncoded: Bool
    }

    private static let columns = Mutex<[Key: AnyColumn]>([:])

    /// How values of a type are stored; nil for a type that cannot be.
    ///
    /// - Parameter isEncoded: whether a `Codable` type is to be stored as it encodes itself.
    static func column(for type: Any.Type, isEncoded: Bool = false) -> AnyColumn? {
        let key = Key(type: ObjectIdentifier(type), isEncoded: isEncoded)
        if let known = columns.withLock({ $0[key] }) { return known }
        func make<Value>(_ type: Value.Type) -> AnyColumn? { ColumnMaking.column(for: type, isEncoded: isEncoded) }
        let made = _openExistential(type, do: make)
        if let made { columns.withLock { $0[key] = made } }
        return made
    }

    /// All cases of an enumeration that lists them; nil for another type.
    static func allCases(of type: Any.Type) -> [Any]? {
        func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] { Array(type.allCases) }
        return (type as? any CaseIterable.Type).map { all($0) }
    }

    /// The first case of an enumeration, whether it lists its cases or not; nil for another type.
    static func firstCase<Value>(of type: Value.Type) -> Value? {
        allCases(of: type)?.first as? Value ?? StructLayout.firstCase(of: type)
    }
}

private enum ColumnMaking {
    static func column<Value>(for type: Value.Type, isEncoded: Bool) -> AnyColumn? {
        if let type = type as? any AnyOptional.Type {
            return ColumnCache.column(for: type.wrappedType, isEncoded: isEncoded)?.optional()
        }
        if isEncoded { return encoded(type) }
        if let type = type as? any ColumnValue.Type { return plain(type) }
        if let type = type as? any RawRepresentable.Type, let column = raw(type) { return column }
        return composite(type) ?? encoded(type)
    }

    private static func plain<Value: ColumnValue>(_ type: Value.Type) -> AnyColumn {
        ModelColumn<Value>(
            .attribute(type.attributeType),
            plain: PlainCoding(decode: { Value(plain: $0) ?? Value.zero }, encode: { $0.plain }),
            decode: { $0.flatMap(Value.init(stored:)) ?? Value.zero }, encode: { $0.stored })
    }

    /// A value that another stands for, as the cases of an enumeration with raw values.
    private static func raw<Value: RawRepresentable>(_ type: Value.Type) -> AnyColumn? {
        guard Value.RawValue.self is any ColumnValue.Type,
            let column = ColumnCache.column(for: Value.RawValue.self) as? ModelColumn<Value.RawValue>
        else { return nil }
        return RawColumn.make(type, column)
    }

    /// A structure of the program's own, each of whose stored properties is stored by itself.
    private static func composite<Value>(_ type: Value.Type) -> AnyColumn? {
        guard Value.self is any Codable.Type, isOfProgram(type), let fields = StructLayout.fields(of: type),
            !fields.isEmpty
        else { return nil }
        let elements = fields.compactMap { field in
            ColumnCache.column(for: field.type).map {
                CompositeElement(name: field.name, offset: field.offset, column: $0)
            }
        }
        guard elements.count == fields.count else { return nil }
        return ModelColumn<Value>(
            .composite(elements),
            decode: { stored in
                let values = stored as? [String: Any] ?? [:]
                return StructLayout.make(Value.self) { memory in
                    for element in elements {
                        element.column.put(values[element.name], into: memory, at: element.offset)
                    }
                }
            },
            encode: { value in
                var values: [String: Any] = [:]
                for element in elements {
                    values[element.name] = element.column.stored(fieldOf: value, at: element.offset)
                }
                return values
            })
    }

    /// Structures of the system's libraries hold what is theirs alone: they are stored as they encode themselves.
    private static func isOfProgram(_ type: Any.Type) -> Bool {
        let name = String(reflecting: type)
        return !["Swift.", "Foundation.", "FoundationEssentials.", "Dispatch.", "Observation."]
            .contains { name.hasPrefix($0) }
    }

    private static func encoded<Value>(_ type: Value.Type) -> AnyColumn? {
        guard let type = type as? any Codable.Type else { return nil }
        return codable(type)
    }

    private static func codable<Value: Codable>(_ type: Value.Type) -> AnyColumn {
        ModelColumn<Value>(
            .attribute(.binaryDataAttributeType), isEncoded: true,
            plain: PlainCoding(
                decode: { EncodedValue.decode(Data(plain: $0)) }, encode: { .blob(EncodedValue.encode($0)) },
                decodeIfPossible: { Data(plain: $0).flatMap { try? EncodedValue.read($0) } }),
            decode: { EncodedValue.decode($0 as? Data) },
            decodeIfPossible: { ($0 as? Data).flatMap { try? EncodedValue.read($0) } },
            encode: { EncodedValue.encode($0) })
    }
}

private enum RawColumn {
    static func make<Value: RawRepresentable>(_ type: Value.Type, _ column: ModelColumn<Value.RawValue>) -> AnyColumn {
        func value(_ raw: Value.RawValue, isThere: Bool) -> Value {
            if let value = Value(rawValue: raw) { return value }
            // 0 of a number: the value read for a missing one.
            if !isThere, let first = ColumnCache.firstCase(of: Value.self) { return first }
            fatalError("\(Value.self) has no value for \(raw), which the store has: make the property optional")
        }
        let plain = column.plain.map { plain in
            PlainCoding<Value>(
                decode: { value(plain.decode($0), isThere: !$0.isNull) }, encode: { plain.encode($0.rawValue) },
                decodeIfPossible: { Value(rawValue: plain.decode($0)) })
        }
        return ModelColumn<Value>(
            column.form, plain: plain, decode: { value(column.decode($0), isThere: $0 != nil) },
            decodeIfPossible: { Value(rawValue: column.decode($0)) }, encode: { column.encode($0.rawValue) })
    }
}
#endif
