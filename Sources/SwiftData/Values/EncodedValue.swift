#if SwiftData
import Foundation

/// Values that are stored as JSON: collections, enumerations with payloads, and what `.codable` asks for.
enum EncodedValue {
    static func encode<Value: Encodable>(_ value: Value) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return try encoder.encode(value)
        } catch {
            fatalError("A value of \(Value.self) cannot be stored, because its encode(to:) failed: \(error)")
        }
    }

    static func decode<Value: Decodable>(_ data: Data?) -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        for bytes in [data, Data("[]".utf8), Data("{}".utf8)].compactMap({ $0 }) {
            do {
                return try decoder.decode(Value.self, from: bytes)
            } catch where data == nil {
                continue
            } catch {
                fatalError("A stored value cannot be read as \(Value.self): \(error). Make the property optional.")
            }
        }
        fatalError("The store has no value, and \(Value.self) has no empty one: make the property optional.")
    }
}
#endif
