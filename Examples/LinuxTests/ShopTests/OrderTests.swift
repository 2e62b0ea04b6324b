import XCTest
@testable import Shop

final class OrderTests: XCTestCase {
    var persistence: Persistence!

    override func setUp() {
        super.setUp()
        persistence = Persistence(inMemory: true)
    }

    override func tearDown() {
        persistence = nil
        super.tearDown()
    }

    func testTotalIsTheSumOfItsItems() throws {
        let context = persistence.container.viewContext
        let order = Order(context: context)
        order.number = 7
        for price in [10, 20] {
            let item = Item(context: context)
            item.price = Int64(price)
            order.addToItems(item)
        }
        try context.save()
        let found = try XCTUnwrap(context.fetch(Order.fetch(number: 7)).first)
        XCTAssertEqual(found.total, 30)
        XCTAssertNotNil(found.placed)
    }

    func testAnOrderDeletesItsItems() throws {
        let context = persistence.container.viewContext
        let order = Order(context: context)
        order.addToItems(Item(context: context))
        try context.save()
        context.delete(order)
        try context.save()
        XCTAssertEqual(try context.count(for: Item.fetchRequest()), 0)
    }
}
