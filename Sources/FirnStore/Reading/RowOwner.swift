package import FirnLog
package import FirnModel
import FirnProjection
package import Foundation

/// The open store that rows are of, for those who hand out values: it names objects, and has the large values that rows
/// refer to.
package protocol RowOwner: AnyObject {
    /// The ID of the object with this key, or nil if the store does not know its entity.
    func objectID(for key: ObjectKey) -> NSManagedObjectID?
    /// The values that rows refer to; nil if the store is closed, or its rows hold all.
    var externalValues: ExternalValues? { get }
    /// The file of a large value is missing or cannot be read.
    func reportUnreadable(_ attribute: String, _ error: any Error, at path: String)
}

/// What became of reading a value that a row refers to.
package enum ExternalValue {
    case read(Data)
    case unreadable

    var data: Data? { if case .read(let data) = self { data } else { nil } }
}

extension RowOwner {
    /// The value that a row refers to. Nil if the row holds the value itself.
    package func externalValue(_ bytes: UnsafeRawBufferPointer, _ info: Slot) -> ExternalValue? {
        guard let reference = ExternalReference(bytes: bytes), let values = externalValues else { return nil }
        // The bytes of an attribute that never had files may be an application's own.
        if !info.allowsExternalStorage, !values.has(reference) { return nil }
        return read(reference, values, info.name)
    }

    private func read(_ reference: ExternalReference, _ values: ExternalValues, _ name: String) -> ExternalValue {
        var data = Data(count: reference.size)
        do {
            try data.withUnsafeMutableBytes { try values.read(reference, into: $0) }
            return .read(data)
        } catch {
            reportUnreadable(name, error, at: values.path(of: reference))
            return .unreadable
        }
    }

    /// A stored value in the types of Apple's API: a reference as an object ID, a large value as it is in its file.
    package func value(_ value: PropertyValue, _ info: Slot) -> Any? {
        switch value {
        case .reference(let key): return objectID(for: key)
        case .blob(let bytes):
            return bytes.withUnsafeBytes { bytes in
                guard let external = externalValue(bytes, info) else { return ValueCoding.object(bytes: bytes, info) }
                return external.data.flatMap { $0.withUnsafeBytes { ValueCoding.object(bytes: $0, info) } }
            }
        default: return ValueCoding.any(value, info)
        }
    }

    /// A column of a dictionary fetch as the object that a dictionary holds: made here, as Foundation asks each value
    /// that is none for all that it could be.
    func object(_ value: PropertyValue, _ column: DictionaryColumn) -> NSObject? {
        if case .blob(let bytes) = value, let reference = ExternalReference(bytes: bytes), let values = externalValues {
            return read(reference, values, column.name).data.map { NSData(data: $0) }
        }
        return object(value, column.kind)
    }

    private func object(_ value: PropertyValue, _ kind: DictionaryColumn.Value) -> NSObject? {
        switch (value, kind) {
        case (.null, _): nil
        case (.reference(let key), _): objectID(for: key)
        case (.integer(let value), .attribute(.boolean)): NSNumber(value: value != 0)
        case (.integer(let value), _): NSNumber(value: value)
        case (.real(let value), .attribute(.date)): NSDate(timeIntervalSinceReferenceDate: value)
        case (.real(let value), _): NSNumber(value: value)
        case (.text(let value), .attribute(.decimal)): NSDecimalNumber(decimal: Decimal(plainText: value))
        case (.text(let value), .attribute(.uri)): NSURL(string: value)
        case (.text(let value), _): NSString(string: value)
        case (.blob(let bytes), .attribute(.uuid)) where bytes.count == 16: NSUUID(uuidBytes: bytes)
        case (.blob(let bytes), _): NSData(bytes: bytes, length: bytes.count)
        }
    }
}
