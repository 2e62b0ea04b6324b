import FirnFoundation
import Foundation
import Testing

import class FirnFoundation.ValueTransformer

private final class Reversing: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? String).map { String($0.reversed()) }
    }
}

final class ArchivedPoint: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let x: Int

    init(x: Int) { self.x = x }

    required init?(coder: NSCoder) { x = coder.decodeInteger(forKey: "x") }

    func encode(with coder: NSCoder) { coder.encode(x, forKey: "x") }
}

private final class PointTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [ArchivedPoint.self] }
}

final class LoudTransformer: ValueTransformer {
    private let end: String

    override init() { end = "!" }

    override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { $0.uppercased() + end } }
}

final class Shouting_ClassName: GeneratedClassName {
    override class var objectClass: AnyClass { LoudTransformer.self }
}

@Suite struct ValueTransformerTests {
    @Test(
        "a class is found by its name, made by its init() and registered",
        arguments: ["LoudTransformer", "FirnFoundationTests.LoudTransformer", "Shouting"])
    func named(_ text: String) throws {
        let name = NSValueTransformerName(text)
        let made = try #require(ValueTransformer(forName: name))
        #expect(made.transformedValue("abc") as? String == "ABC!")
        #expect(ValueTransformer(forName: name) === made)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        #expect(ValueTransformer(forName: NSValueTransformerName("ArchivedPoint")) == nil)
        #expect(!ValueTransformer.valueTransformerNames().contains(NSValueTransformerName("ArchivedPoint")))
    }

    @Test("a registered transformer is found under its name, and is the same object")
    func registry() {
        let name = NSValueTransformerName("Reversing-\(UUID())")
        #expect(ValueTransformer(forName: name) == nil)
        let mine = Reversing()
        ValueTransformer.setValueTransformer(mine, forName: name)
        #expect(ValueTransformer(forName: name) === mine)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        #expect(ValueTransformer(forName: name)?.transformedValue("abc") as? String == "cba")
        #expect(ValueTransformer(forName: name)?.reverseTransformedValue("cba") as? String == "abc")
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
    }

    @Test(
        "Foundation's own transformers are registered",
        arguments: [
            NSValueTransformerName.negateBooleanTransformerName, .isNilTransformerName,
            .isNotNilTransformerName, .unarchiveFromDataTransformerName,
            .keyedUnarchiveFromDataTransformerName, .secureUnarchiveFromDataTransformerName,
        ])
    func builtIn(name: NSValueTransformerName) {
        #expect(ValueTransformer(forName: name) != nil)
    }

    @Test("nil and booleans are told and negated")
    func small() throws {
        let isNil = try #require(ValueTransformer(forName: .isNilTransformerName))
        let isNotNil = try #require(ValueTransformer(forName: .isNotNilTransformerName))
        let negate = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
        #expect(isNil.transformedValue(nil) as? Bool == true)
        #expect(isNotNil.transformedValue(3) as? Bool == true)
        #expect(negate.transformedValue(true) as? Bool == false)
        #expect(negate.reverseTransformedValue(false) as? Bool == true)
    }

    @Test("plain collections survive the secure transformer")
    func collections() throws {
        let transformer = try #require(
            NSSecureUnarchiveFromDataTransformer(forName: .secureUnarchiveFromDataTransformerName))
        let value: [String: Any] = ["names": ["a", "b"], "count": 2]
        let data = try #require(transformer.reverseTransformedValue(value) as? Data)
        let back = try #require(transformer.transformedValue(data) as? NSDictionary)
        #expect(back == value as NSDictionary)
    }

    @Test("a subclass allows its own class, which the general one refuses")
    func ownClass() throws {
        let data = try #require(
            PointTransformer().reverseTransformedValue(ArchivedPoint(x: 4)) as? Data)
        #expect((PointTransformer().transformedValue(data) as? ArchivedPoint)?.x == 4)
        #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(data) == nil)
    }

    @Test("a class that is not allowed is found inside collections")
    func insideCollections() throws {
        let value = ["list": [1, ArchivedPoint(x: 1)]] as NSDictionary
        let data = try #require(PointTransformer().reverseTransformedValue(value) as? Data)
        #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(data) == nil)
    }

    @Test("dates, data, URLs, UUIDs and null are read", arguments: 0...6)
    func leaves(index: Int) throws {
        let leaves: [NSObject] = [
            NSDate(timeIntervalSinceReferenceDate: 5), NSData(data: Data([1, 2])),
            NSUUID(), NSNull(), NSNumber(value: 2.5), NSString(string: "$null at all"),
            NSURL(fileURLWithPath: "/a/b"),
        ]
        let transformer = NSSecureUnarchiveFromDataTransformer()
        let value = NSArray(object: leaves[index])
        let data = try #require(transformer.reverseTransformedValue(value) as? Data)
        #expect(transformer.transformedValue(data) as? NSArray == value)
    }

    @Test("damaged data gives nil")
    func damage() {
        let transformer = NSSecureUnarchiveFromDataTransformer()
        #expect(transformer.transformedValue(Data([1, 2, 3])) == nil)
        #expect(transformer.transformedValue(nil) == nil)
        #expect(transformer.reverseTransformedValue(nil) == nil)
    }

    @Test("the legacy transformer reads any class")
    func legacy() throws {
        let transformer = try #require(
            ValueTransformer(forName: .keyedUnarchiveFromDataTransformerName))
        let data = try #require(transformer.reverseTransformedValue(ArchivedPoint(x: 9)) as? Data)
        #expect((transformer.transformedValue(data) as? ArchivedPoint)?.x == 9)
    }
}
