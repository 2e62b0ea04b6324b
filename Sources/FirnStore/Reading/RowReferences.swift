package import FirnLog
package import FirnModel
package import FirnProjection
package import Foundation

/// A store, to those who read values of its rows that are kept elsewhere.
package protocol RowReferences: AnyObject {
    /// The ID of an object; nil if the store does not know its entity.
    func objectID(for key: ObjectKey) -> NSManagedObjectID?
    /// The value in a file of its own that the bytes of a row refer to; nil if they are the value.
    func largeValue(_ bytes: [UInt8], _ attribute: String) throws -> Data?
}

extension DictionaryRows {
    /// The rows in the types of Apple's API. Nulls are absent.
    package func dictionaries(_ references: any RowReferences) throws -> [NSDictionary] {
        let names = columns.map { NSString(string: $0.name) }
        return try rows.map { row in
            try withUnsafeTemporaryAllocation(of: AnyObject.self, capacity: row.count) { values in
                try withUnsafeTemporaryAllocation(of: NSObject.self, capacity: row.count) { keys in
                    var count = 0
                    defer {
                        values[..<count].deinitialize()
                        keys[..<count].deinitialize()
                    }
                    for index in row.indices {
                        guard let value = try references.object(row[index], columns[index]) else { continue }
                        values.initializeElement(at: count, to: value)
                        keys.initializeElement(at: count, to: names[index])
                        count += 1
                    }
                    guard count > 0, let objects = values.baseAddress, let names = keys.baseAddress else {
                        return NSDictionary()
                    }
                    return NSDictionary(objects: objects, forKeys: names, count: count)
                }
            }
        }
    }
}

extension RowReferences {
    /// A column of a dictionary fetch as the object that a dictionary holds: made here, as Foundation asks each value
    /// that is none for all that it could be.
    fileprivate func object(_ value: PropertyValue, _ column: DictionaryColumn) throws -> NSObject? {
        switch (value, column.kind) {
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
        case (.blob(let bytes), _):
            if let data = try largeValue(bytes, column.name) {
                NSData(data: data)
            } else {
                NSData(bytes: bytes, length: bytes.count)
            }
        }
    }
}
