#if SwiftData
import protocol FirnFoundation.AnyOptional
import FirnModel
import FirnRuntime
import Foundation
import Synchronization

/// Names key paths that generic code has of a protocol's properties: `\T.name`, where `T` is a model.
///
/// Such a key path does not say which property of the model it stands for. So a model in no context is asked: each
/// property of the type gets a value, and the one whose value the key path gives back, every time, is meant.
enum ProtocolKeyPaths {
    /// How often values are set: a computed property that happens to give back the values of one time differs later.
    private static let rounds = 6

    /// Names by key path. Key paths do not change, though their type does not say so.
    private struct Known: @unchecked Sendable {
        var names: [AnyKeyPath: String?] = [:]
    }

    private static let known = Mutex(Known())

    /// The name of the property, which is empty for the model's identifier; nil for one that is computed.
    static func name(of keyPath: AnyKeyPath, in model: any PersistentModel.Type) -> String? {
        if let name = known.withLock({ $0.names[keyPath] }) { return name }
        let name = find(keyPath, model)
        known.withLock { $0.names[keyPath] = .some(name) }
        return name
    }

    private static func find<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> String? {
        let shape = ModelShape.of(model), type = Swift.type(of: keyPath).valueType
        var left = shape.properties.filter { $0.valueType == type }
        for round in 0..<rounds where !left.isEmpty {
            let sample = Model(backingData: Model.createBackingData())
            var samples: [String: Any] = [:]
            for (index, property) in left.enumerated() {
                guard let value = sampleValue(of: property, index * rounds + round) else { continue }
                samples[property.name] = value
                sample.storage.setSample(value, property.name)
            }
            // A property without a sample is not read: it may have no value to show.
            left = left.filter { samples[$0.name] != nil }
            if left.isEmpty { break }
            let found = sample[keyPath: keyPath]
            left = left.filter { property in
                samples[property.name].map { isSame($0, found, property) } ?? false
            }
        }
        if left.isEmpty, isIdentifier(keyPath, model) { return "" }
        // Booleans are told apart by their pattern; what is left twice is one property by two names.
        return left.count == 1 ? left[0].name : nil
    }

    /// `\T.persistentModelID`, and `\T.id` of models that declare none.
    private static func isIdentifier<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> Bool {
        guard ModelPredicateSource.isIdentifier(Swift.type(of: keyPath).valueType) else { return false }
        let sample = Model(backingData: Model.createBackingData())
        return sample[keyPath: keyPath] as? PersistentIdentifier == sample.persistentModelID
    }

    private static func sampleValue(of property: ModelShape.Property, _ number: Int) -> Any? {
        switch property.kind {
        case .relationship(let type):
            func make<Other: PersistentModel>(_ type: Other.Type) -> [any PersistentModel] {
                [Other(backingData: Other.createBackingData())]
            }
            return type.isToMany ? nil : make(type.destination)
        case .attribute(let column?):
            return column.isEncoded ? nil : value(of: column, number)
        case .attribute(nil): return nil
        }
    }

    private static func value(of column: AnyColumn, _ number: Int) -> Any? {
        let type = (column.valueType as? any AnyOptional.Type)?.wrappedType ?? column.valueType
        if let cases = ColumnCache.allCases(of: type), !cases.isEmpty { return cases[number % cases.count] }
        // Nil for an enumeration that does not list its cases.
        return stored(column, number).flatMap(column.knownValue)
    }

    /// A stored form that no formatting or arithmetic gives back unchanged.
    private static func stored(_ column: AnyColumn, _ number: Int) -> Any? {
        switch column.form {
        case .composite(let elements):
            var parts: [String: Any] = [:]
            for (index, element) in elements.enumerated() {
                guard let value = value(of: element.column, number + index) else { return nil }
                parts[element.name] = element.column.stored(any: value)
            }
            return parts
        case .attribute(let type): return plain(type, number)
        }
    }

    private static func plain(_ type: NSAttributeType, _ number: Int) -> Any? {
        switch type {
        case .integer16AttributeType: Int64(number % 100 + 7)
        case .integer32AttributeType, .integer64AttributeType: Int64(number * 31 + 7)
        case .doubleAttributeType, .floatAttributeType: Double(number) + 0.375
        case .decimalAttributeType: NSDecimalNumber(value: number * 31 + 7)
        case .stringAttributeType: " aB\(number)ß\u{301} "
        // Bit by bit another pattern for each property.
        case .booleanAttributeType: (number / rounds + 1) >> (number % rounds) & 1 == 1
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: Double(number) * 86_400.5)
        case .binaryDataAttributeType: Data([0, 255, UInt8(truncatingIfNeeded: number)])
        case .UUIDAttributeType: UUID()
        case .URIAttributeType: URL(string: "http://a/\(number)?b#c")
        default: nil
        }
    }

    /// Whether two stored forms are equal, those of structures part by part.
    private static func isEqual(_ left: Any, _ right: Any) -> Bool {
        guard let left = left as? [String: Any], let right = right as? [String: Any] else {
            guard let left = left as? AnyHashable, let right = right as? AnyHashable else { return false }
            return left == right
        }
        return left.count == right.count
            && left.allSatisfy { key, value in right[key].map { isEqual(value, $0) } ?? false }
    }

    private static func isSame(_ sample: Any, _ found: Any?, _ property: ModelShape.Property) -> Bool {
        if let models = sample as? [any PersistentModel] {
            guard let found = (found as? any AnyOptional).map(\.unwrapped) ?? found else { return false }
            return models.first.map { $0 === (found as AnyObject) } ?? false
        }
        guard case .attribute(let column?) = property.kind, let found, let stored = column.stored(any: found),
            let expected = column.stored(any: sample)
        else { return false }
        return isEqual(stored, expected)
    }
}
#endif
