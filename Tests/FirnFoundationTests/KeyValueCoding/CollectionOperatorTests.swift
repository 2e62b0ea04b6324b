import FirnFoundation
import Foundation
import Testing

private func value(_ object: Any?, _ path: String) -> Any? {
    keyValueCodingValue(of: object, forKeyPath: path)
}

@Suite struct CollectionOperatorTests {
    let shop = Item([
        "items": NSSet(array: [
            Item(["price": 2, "tags": ["a", "b"]]), Item(["price": 2, "tags": ["b"]]),
            Item(["price": 5, "tags": ["c"]]),
        ])
    ])

    @Test("members are counted, also of an empty collection")
    func count() {
        #expect(value(shop, "items.@count") as? Int == 3)
        #expect(value([Int](), "@count") as? Int == 0)
        #expect(value(["a": [1, 2]], "a.@count.description") as? String == "2")
        #expect(value(["a": 1], "b.@count") == nil)
    }

    @Test("a sum is over members and not over distinct values")
    func numbers() {
        #expect(value(shop, "items.@sum.price") as? Int == 9)
        #expect(value(shop, "items.@avg.price") as? Double == 3)
        #expect(value(shop, "items.@min.price") as? Int == 2)
        #expect(value(shop, "items.@max.price") as? Int == 5)
        #expect(value([1, 2, 6], "@max.self") as? Int == 6)
        #expect(value([1, 2, 6], "@sum.self") as? Int == 9)
    }

    @Test("operators look through members that are collections")
    func nested() {
        let chain = Item(["shops": [shop, shop]])
        #expect(value(chain, "shops.@sum.items.price") as? Int == 14)
        #expect(value(chain, "shops.items.@count") as? Int == 2)
    }

    @Test("unions keep repetition, distinct unions do not")
    func unions() {
        let rows = [["n": 1, "l": [1, 2]], ["n": 2, "l": [2]], ["n": 1, "l": [3]]]
        #expect(value(rows, "@unionOfObjects.n") as? [Int] == [1, 2, 1])
        #expect(value(rows, "@distinctUnionOfObjects.n") as? [Int] == [1, 2])
        #expect(value(rows, "@unionOfArrays.l") as? [Int] == [1, 2, 2, 3])
        #expect(value(rows, "@distinctUnionOfArrays.l") as? [Int] == [1, 2, 3])
        #expect(
            value(shop, "items.@distinctUnionOfSets.tags") as? NSSet
                == NSSet(array: ["a", "b", "c"]))
    }

    @Test("an operator on something that is no collection throws")
    func misuse() {
        let error = #expect(throws: CollectionOperatorMisuse.self) {
            try keyValue(of: 5, at: KeyPathComponents("@sum.self"))
        }
        #expect(error?.description == "@sum needs a collection, Int is none")
    }
}
