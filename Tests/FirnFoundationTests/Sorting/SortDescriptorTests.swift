import FirnFoundation
import class FirnFoundation.NSSortDescriptor
import Foundation
import TestSupport
import Testing

private final class Person: KeyValueCoding {
    let name: String?
    let age: Int

    init(_ name: String?, _ age: Int = 0) {
        self.name = name
        self.age = age
    }

    func value(forKey key: String) -> Any? {
        switch key {
        case "name": name
        case "age": age
        default: value(forUndefinedKey: key)
        }
    }

    func setValue(_ value: Any?, forKey key: String) {}
}

private func names(_ descriptors: [NSSortDescriptor], _ people: [Person]) -> [String?] {
    DescriptorOrder(descriptors).sorted(people).map(\.name)
}

@Suite struct SortDescriptorTests {
    @Test("nil comes first when ascending and last when descending")
    func nilFirst() {
        let people = [Person("b"), Person(nil), Person("a")]
        #expect(names([NSSortDescriptor(key: "name", ascending: true)], people) == [nil, "a", "b"])
        #expect(
            names([NSSortDescriptor(key: "name", ascending: false)], people) == ["b", "a", nil])
    }

    @Test("a later descriptor decides between equals")
    func several() {
        let people = [Person("a", 2), Person("b", 1), Person("c", 2), Person("d", 1)]
        let order = [
            NSSortDescriptor(key: "age", ascending: true),
            NSSortDescriptor(key: "name", ascending: false),
        ]
        #expect(names(order, people) == ["d", "b", "c", "a"])
    }

    @Test("elements without a difference keep their places")
    func stable() {
        let people = (0..<100).map { Person("\($0)", $0 % 3) }
        let sorted = names([NSSortDescriptor(key: "age", ascending: false)], people)
        let expected = [2, 1, 0].flatMap { rest in (0..<100).filter { $0 % 3 == rest } }
        #expect(sorted == expected.map { "\($0)" })
    }

    @Test(
        "each selector has its order",
        arguments: [
            ("compare:", ["B", "a", "file10", "file9"]),
            ("caseInsensitiveCompare:", ["a", "B", "file10", "file9"]),
            ("localizedStandardCompare:", ["a", "B", "file9", "file10"]),
        ])
    func selectors(selector: String, expected: [String]) {
        let descriptor = NSSortDescriptor(
            key: nil, ascending: true, selector: Selector(selector))
        let sorted = DescriptorOrder([descriptor]).sorted(["file9", "B", "file10", "a"])
        #expect(sorted == expected)
    }

    @Test("a comparator is given the values, never nil, and its direction is turned")
    func comparator() {
        let descriptor = NSSortDescriptor(key: "name", ascending: false) { a, b in
            let a = (a as? String)?.count ?? -1
            let b = (b as? String)?.count ?? -1
            return a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
        }
        let people = [Person("bb"), Person(nil), Person("c"), Person("aaa")]
        #expect(names([descriptor], people) == ["aaa", "bb", "c", nil])
    }

    @Test("values of every kind sort alike, alone and mixed", arguments: 0..<6, [true, false])
    func kinds(kind: Int, ascending: Bool) {
        let kinds: [[Any]] = [
            [NSNull(), -3, 0, 5, Int64(7)],
            [NSNull(), -0.5, 0.25, 1.5],
            [NSNull(), -1, 0.5, Decimal(1), NSNumber(value: 2), 1e300],
            [NSNull(), Date.distantPast, Date(timeIntervalSince1970: 0), Date.distantFuture],
            [NSNull(), "", "Z", NSString(string: "a"), "é", "中"],
            [NSNull(), false, true],
        ]
        let sorted = kinds[kind]
        let expected = ascending ? sorted : sorted.reversed()
        let order = DescriptorOrder([NSSortDescriptor(key: nil, ascending: ascending)])
        var generator = SeededGenerator()
        let found = order.sorted(sorted.shuffled(using: &generator))
        #expect(ValueComparison.equal(found, expected), "\(found), \(generator)")
    }

    @Test("the reversed descriptor has the other direction and is equal to one made so")
    func reversed() {
        let descriptor = NSSortDescriptor(
            key: "name", ascending: true, selector: "caseInsensitiveCompare:")
        let other = NSSortDescriptor(
            key: "name", ascending: false, selector: "caseInsensitiveCompare:")
        #expect(descriptor.reversedSortDescriptor as? NSSortDescriptor == other)
        #expect(descriptor != other)
        #expect(descriptor.hash != other.hash)
    }

    @Test("a descriptor survives archiving", arguments: [false, true])
    func archive(isRank: Bool) throws {
        let descriptor =
            isRank
            ? NSSortDescriptor(key: "name", rankOf: "a b*", options: .caseInsensitive)
            : NSSortDescriptor(key: "name", ascending: false, selector: "localizedCompare:")
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: descriptor, requiringSecureCoding: true)
        let back = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSSortDescriptor.self, from: data)
        #expect(back == descriptor)
    }

    @Test("a copy is the descriptor itself")
    func copy() {
        let descriptor = NSSortDescriptor(key: "a", ascending: true)
        #expect(descriptor.copy() as AnyObject === descriptor)
    }

    @Test("Foundation's collections sort by descriptors with keys")
    func collections() {
        let order = [NSSortDescriptor(key: "n", ascending: true)]
        let rows = [["n": 2], ["n": 1], ["n": 3]]
        let expected = [["n": 1], ["n": 2], ["n": 3]]
        #expect(NSArray(array: rows).sortedArray(using: order) as? [[String: Int]] == expected)
        #expect(NSSet(array: rows).sortedArray(using: order) as? [[String: Int]] == expected)
        let array = NSMutableArray(array: rows)
        array.sort(using: order)
        #expect(array as? [[String: Int]] == expected)
        let set = NSMutableOrderedSet(array: rows)
        set.sort(using: order)
        #expect(set.array as? [[String: Int]] == expected)
    }

    @Test("a subclass that compares in its own way is asked")
    func subclass() {
        final class Backwards: NSSortDescriptor, @unchecked Sendable {
            override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
                super.compare(object2, to: object1)
            }
        }
        #expect(
            DescriptorOrder([Backwards(key: nil, ascending: true)]).sorted([1, 3, 2]) == [3, 2, 1])
    }
}
