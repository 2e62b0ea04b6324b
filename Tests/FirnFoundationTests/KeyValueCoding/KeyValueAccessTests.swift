import FirnFoundation
import Foundation
import Testing

private func value(_ object: Any?, _ path: String) -> Any? {
    keyValueCodingValue(of: object, forKeyPath: path)
}

@Suite struct KeyValueAccessTests {
    @Test("a path goes through objects, dictionaries and Swift values")
    func path() {
        let shop = Shop(name: "Corner", owner: Owner("Ada"))
        let item = Item(["shop": shop, "tags": ["x": ["y": 5]]])
        #expect(value(item, "shop.owner.name") as? String == "Ada")
        #expect(value(item, "shop.owner.age") as? Int == 30)
        #expect(value(item, "tags.x.y") as? Int == 5)
        #expect(item.value(forKeyPath: "shop.name") as? String == "Corner")
        #expect(value(item, "self") as AnyObject === item)
        #expect(value(item, "SELF.shop.self.name") as? String == "Corner")
    }

    @Test("nil, null and missing entries end a path with nil")
    func null() {
        #expect(value(nil, "a.b") == nil)
        #expect(value(NSNull(), "a") == nil)
        #expect(value(["a": NSNull()], "a.b") == nil)
        #expect(value(["a": 1], "b.c.d") == nil)
        #expect(value(Shop(name: "x"), "owner.name") == nil)
        #expect(value(Shop(name: "x", owner: Owner(nil)), "owner.name") == nil)
    }

    @Test("an array gives an array of its members' values, with null for nil")
    func array() throws {
        let items = [Item(["n": 1]), Item([:]), Item(["n": 1])]
        for collection in [items as Any, NSArray(array: items)] {
            let found = try #require(value(collection, "n") as? [Any])
            #expect(ValueComparison.equal(found, [1, NSNull(), 1] as [Any]))
        }
    }

    @Test("a set gives a set, an ordered set an ordered one, each without repetition")
    func sets() {
        let items = [Item(["n": 2]), Item(["n": 1]), Item(["n": 2])]
        #expect(value(NSSet(array: items), "n") as? NSSet == NSSet(array: [1, 2]))
        #expect(value(Set(items), "n") as? NSSet == NSSet(array: [1, 2]))
        let ordered = value(NSOrderedSet(array: items), "n") as? NSOrderedSet
        #expect(ordered?.array as? [Int] == [2, 1])
    }

    @Test("values of a set that are collections, data or URLs make a set too")
    func nestedSets() {
        let items = [
            Item(["m": NSSet(array: [Item(["n": 1]), Item(["n": 2])])]), Item(["m": NSSet(array: [Item(["n": 2])])]),
        ]
        let names = value(NSSet(array: items), "m.n") as? NSSet
        #expect(names == NSSet(array: [NSSet(array: [1, 2]), NSSet(array: [2])]))
        let places = [
            Item(["u": URL(filePath: "/a"), "d": Data([1])]), Item(["u": URL(filePath: "/a"), "d": Data([2])]),
        ]
        #expect((value(NSSet(array: places), "u") as? Set<URL>)?.count == 1)
        #expect(value(NSSet(array: places), "d") as? Set<Data> == [Data([1]), Data([2])])
        #expect((value(NSOrderedSet(array: places), "d") as? NSOrderedSet)?.array as? [Data] == [Data([1]), Data([2])])
    }

    @Test("decimals among the values of a set make an array of it, each value once")
    func decimals() throws {
        let price = try #require(Decimal(string: "1.5"))
        let items = [
            Item(["p": price]), Item(["p": NSDecimalNumber(decimal: price)]), Item(["p": 2]),
        ]
        for collection in [NSSet(array: items), NSOrderedSet(array: items), Set(items) as Any] {
            let found = try #require(value(collection, "p") as? [Any])
            #expect(found.count == 2)
        }
        #expect((value(items, "@distinctUnionOfObjects.p") as? [Any])?.count == 2)
        #expect(ValueComparison.equal(Set([price, 2]), Set<AnyHashable>([2, price])))
    }

    @Test("an undefined key throws with the type and the key, and an object may answer it")
    func undefined() {
        let error = #expect(throws: UndefinedKey.self) {
            try keyValue(of: Shop(name: "x"), at: KeyPathComponents("price"))
        }
        #expect(error?.key == "price")
        #expect(error?.description.contains("Shop") == true)
        let item = Item([:])
        #expect(value(item, "missing") == nil)
        #expect(item.undefined == ["missing"])
    }

    @Test("Foundation's values know the keys of Apple's classes")
    func intrinsic() {
        #expect(value("häuser", "length") as? Int == 6)
        #expect(value("ab", "uppercaseString") as? String == "AB")
        #expect(value("12", "intValue") as? Int == 12)
        #expect(value(NSString(string: "ab"), "description") as? String == "ab")
        #expect(value(2.7, "intValue") as? Int == 2)
        #expect(value(NSNumber(value: 3), "stringValue") as? String == "3")
        #expect(value(Data([1, 2, 3]), "length") as? Int == 3)
        #expect(value(URL(string: "https://a.org/b/c.txt"), "host") as? String == "a.org")
        #expect(
            value(URL(string: "https://a.org/b/c.txt"), "lastPathComponent") as? String == "c.txt")
        #expect(
            value(Date(timeIntervalSince1970: 5), "timeIntervalSince1970") as? Double == 5)
    }

    @Test("several values are read and written at once, null standing for nil")
    func several() {
        let item = Item(["a": 1])
        let read = item.dictionaryWithValues(forKeys: ["a", "b"])
        #expect(read["a"] as? Int == 1)
        #expect(read["b"] is NSNull)
        item.setValuesForKeys(["a": NSNull(), "b": 2])
        #expect(item.values["a"] == nil)
        #expect(item.values["b"] as? Int == 2)
    }

    @Test("a value is set at the end of a path, also in all members of a collection")
    func setting() {
        let child = Item(["n": 1])
        let others = [Item([:]), Item([:])]
        let parent = Item(["child": child, "others": others, "info": NSMutableDictionary()])
        parent.setValue(5, forKeyPath: "child.n")
        parent.setValue(7, forKeyPath: "others.n")
        parent.setValue("x", forKeyPath: "info.title")
        parent.setValue(1, forKeyPath: "absent.n")
        #expect(child.values["n"] as? Int == 5)
        #expect(others.map { $0.values["n"] as? Int } == [7, 7])
        #expect(value(parent, "info.title") as? String == "x")
        parent.setValue(nil, forKeyPath: "info.title")
        #expect(value(parent, "info.title") == nil)
    }
}
