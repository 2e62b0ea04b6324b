import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport

extension TreeProgram {
    /// How plain values are held by the objects of a tree.
    final class Values {
        enum Form: CaseIterable {
            case number
            /// A composite of two numbers.
            case composite
            /// Data that may be in files of their own: some are large, some look like references to those.
            case data
        }

        let form: Form
        /// The data that stand for values, both ways.
        private var data: [Int: Data] = [:]
        private var values: [Data: Int] = [:]
        private var lastLarge: Data?

        init(_ form: Form) { self.form = form }

        func attribute() -> NSAttributeDescription {
            let result = form == .composite ? Self.composite() : NSAttributeDescription()
            result.name = "value"
            if form != .composite {
                result.attributeType = form == .data ? .binaryDataAttributeType : .integer64AttributeType
            }
            result.allowsExternalBinaryDataStorage = form == .data
            return result
        }

        private static func composite() -> NSAttributeDescription {
            let result = NSCompositeAttributeDescription()
            result.elements = ["high", "low"].map { ModelSketch.attribute($0, .integer64AttributeType) }
            return result
        }

        /// Gives what an object holds for a value.
        func encode(_ value: Int) -> Any {
            switch form {
            case .number: return value
            case .composite: return ["high": value / 1000, "low": value % 1000]
            case .data:
                if let known = data[value] { return known }
                let new = makeData(value)
                (data[value], values[new]) = (new, value)
                return new
            }
        }

        private func makeData(_ value: Int) -> Data {
            let text = Data("\(value)".utf8)
            if value % 5 == 0 {
                lastLarge = text + Data(count: 110_000)
                return lastLarge ?? text
            }
            let reference = lastLarge.map { Data($0.withUnsafeBytes(ExternalReference.init(to:)).bytes) }
            return value % 5 == 1 && reference.map { values[$0] == nil } == true ? reference ?? text : text
        }

        /// The properties that a batch sets.
        func updates(_ value: Int) -> [AnyHashable: Any] {
            form == .composite
                ? ["value.high": value / 1000, "value.low": value % 1000] : ["value": encode(value)]
        }

        /// The plain value of an object; negative if it is none.
        func value(of object: NSManagedObject) -> Int {
            switch object.value(forKey: "value") {
            case let value as Int where form == .number: value
            case let pair as [String: Int] where form == .composite:
                (pair["high"] ?? -9) * 1000 + (pair["low"] ?? -9)
            case let data as Data where form == .data: values[data] ?? -2
            default: -1
            }
        }
    }
}
