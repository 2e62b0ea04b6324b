import FirnFoundation
import Foundation
import Testing

/// An object and its identity, as managed objects have them.
private final class Identity: NSObject, IdentityProviding, @unchecked Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }

    var comparisonIdentity: AnyObject { self }

    override func isEqual(_ object: Any?) -> Bool { (object as? Identity)?.number == number }

    override var hash: Int { number }
}

private final class Thing: NSObject, IdentityProviding, @unchecked Sendable {
    let identity: Identity

    init(_ number: Int) { identity = Identity(number) }

    var comparisonIdentity: AnyObject { identity }
}

private struct Version: Comparable {
    let major: Int

    static func < (a: Version, b: Version) -> Bool { a.major < b.major }
}

private final class Plain {}

@Suite struct ValueComparisonTests {
    /// Values that are equal to every other of their row and to none of another row.
    static var rows: [[Any?]] {
        [
            [nil, NSNull(), Int?.none as Any, String??.some(nil) as Any],
            [
                1, 1.0, Int8(1), UInt64(1), Float(1), true, NSNumber(value: 1), Decimal(1),
                NSDecimalNumber(string: "1.00"), Int?.some(1) as Any, AnyHashable(1), CGFloat(1),
            ],
            [0, false, -0.0, NSNumber(value: false)],
            [0.1, NSNumber(value: 0.1), Decimal(string: "0.1") as Any],
            [9_007_199_254_740_993, NSNumber(value: Int64(9_007_199_254_740_993))],
            [9_007_199_254_740_992.0, 9_007_199_254_740_992],
            [UInt64.max, NSNumber(value: UInt64.max)],
            [Int64.max],
            [Double.infinity],
            [Double.nan, NSNumber(value: Double.nan)],
            ["1", NSString(string: "1"), Substring("1"), Character("1")],
            ["caf\u{E9}"],
            ["cafe\u{301}"],
            [Date(timeIntervalSinceReferenceDate: 1), NSDate(timeIntervalSinceReferenceDate: 1)],
            [Data([1, 2]), NSData(data: Data([1, 2]))],
            [URL(string: "https://example.org/a"), NSURL(string: "https://example.org/a")],
            [
                [1, 2], NSArray(array: [1, 2]), [1.0, 2.0],
                [NSNumber(value: 1), Decimal(2)] as [Any],
            ],
            [[2, 1]],
            [Set([1, 2]), NSSet(array: [2, 1]), Set([1.0, 2.0])],
            [NSOrderedSet(array: [1, 2])],
            [["a": 1], NSDictionary(dictionary: ["a": 1.0])],
            [["a": 2]],
            [[Any]()],
            [Version(major: 1)],
            [Version(major: 2)],
        ]
    }

    @Test("values are equal within a row of the table and to none of another row")
    func equality() {
        var wrong: [String] = []
        for (x, left) in Self.rows.enumerated() {
            for (y, right) in Self.rows.enumerated() {
                for a in left {
                    for b in right where ValueComparison.equal(a, b) != (x == y) {
                        wrong.append("\(String(describing: a)) \(String(describing: b))")
                    }
                }
            }
        }
        #expect(wrong == [])
    }

    @Test("a value in a box in a box is the value")
    func boxes() {
        func boxed<Value>(_ value: Value) -> Any { value }
        #expect(ValueComparison.equal(boxed(1 as Any), 1))
        #expect(ValueComparison.equal(boxed("José" as any Hashable), "José"))
        let date = Date(timeIntervalSince1970: 1)
        #expect(ValueComparison.equal(boxed(date as any Comparable), date))
    }

    @Test("UUIDs are equal as Swift's and Foundation's")
    func uuid() {
        let id = UUID()
        #expect(ValueComparison.equal(id, id as NSUUID))
        #expect(!ValueComparison.equal(id, UUID()))
    }

    @Test("an object equals its identity, alone and in sets")
    func identities() {
        let thing = Thing(7)
        #expect(ValueComparison.equal(thing, Identity(7)))
        #expect(ValueComparison.equal(Identity(7), thing))
        #expect(ValueComparison.equal(thing, Thing(7)))
        #expect(!ValueComparison.equal(thing, Identity(8)))
        #expect(ValueComparison.equal(NSSet(object: thing), NSSet(object: Identity(7))))
    }

    @Test("objects without equality are equal to themselves only")
    func plainObjects() {
        let one = Plain()
        #expect(ValueComparison.equal(one, one))
        #expect(!ValueComparison.equal(one, Plain()))
    }

    /// Each row ascends.
    static var orders: [[Any]] {
        [
            [
                -Double.infinity, -1e300, Int64.min, -1.5, -1, Decimal(string: "-0.5") as Any, 0,
                0.5,
                true, Decimal(string: "1.25") as Any, 2, 9_007_199_254_740_992.0,
                9_007_199_254_740_993, Int64.max, 9_223_372_036_854_775_808.0, UInt64.max, 1e300,
                Double.infinity,
            ],
            ["", "A", "a", NSString(string: "ab"), "b", "é"],
            [Date.distantPast, NSDate(timeIntervalSinceReferenceDate: 0), Date.distantFuture],
            [Data(), Data([0]), Data([0, 1]), NSData(data: Data([1]))],
            [Version(major: 1), Version(major: 2)],
        ]
    }

    @Test("values of one kind have an order, whatever their types", arguments: 0..<5)
    func order(row: Int) {
        let values = Self.orders[row]
        var wrong: [String] = []
        for (x, a) in values.enumerated() {
            for (y, b) in values.enumerated() {
                let expected: ComparisonResult =
                    x < y ? .orderedAscending : x == y ? .orderedSame : .orderedDescending
                if ValueComparison.compare(a, b) != expected { wrong.append("\(a) \(b)") }
            }
        }
        #expect(wrong == [])
    }

    @Test("values of different kinds, nil and NaN have no order")
    func noOrder() {
        #expect(ValueComparison.compare(1, "1") == nil)
        #expect(ValueComparison.compare(nil, 1) == nil)
        #expect(ValueComparison.compare(NSNull(), nil) == nil)
        #expect(ValueComparison.compare(Double.nan, 1) == nil)
        #expect(ValueComparison.compare([1], [1]) == nil)
        #expect(ValueComparison.compare(Version(major: 1), 1) == nil)
    }
}
