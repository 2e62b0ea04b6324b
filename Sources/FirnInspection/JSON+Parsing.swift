import Foundation

extension JSON {
    /// The place and the kind of a mistake in a text that should be JSON.
    package struct ParseFailure: LocalizedError {
        package var what: String

        package var errorDescription: String? { what }
    }

    /// Reads one JSON value. Whole numbers within 64 bits stay whole. The keys of an object are in alphabetic order.
    package init(parsing text: some StringProtocol) throws(ParseFailure) {
        do {
            self.init(try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed))
        } catch {
            let words = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
            throw ParseFailure(what: words ?? error.localizedDescription)
        }
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .text(text)
        case let number as NSNumber: self.init(number)
        case let values as [Any]: self = .array(values.map { JSON($0) })
        case let members as [String: Any]: self = .object(JSONObject(members.mapValues { JSON($0) }))
        default: self = .null
        }
    }

    private init(_ number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"): self = .bool(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "Q"):
            // The least whole number of 64 bits, and real ones of many digits, are read as decimal ones, whose
            // conversion to a real one is not the nearest.
            let digits = number is NSDecimalNumber ? number.stringValue : ""
            self = Int64(digits).map(JSON.integer) ?? .real(Double(digits) ?? number.doubleValue)
        default: self = .integer(number.int64Value)
        }
    }

    package subscript(key: String) -> JSON? {
        if case .object(let object) = self, object.has(key) { object[key] } else { nil }
    }

    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var isNull: Bool { if case .null = self { true } else { false } }
}
