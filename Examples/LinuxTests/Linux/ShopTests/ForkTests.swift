import CoreData
import CoreDataTesting
import Testing
@testable import Shop

/// A thousand orders, made once.
enum Fixture {
    static let orders: NSPersistentContainer = {
        let container = Persistence(inMemory: true).container
        let context = container.newBackgroundContext()
        context.performAndWait {
            for number in 1...1000 {
                let order = Order(context: context)
                order.number = Int64(number)
                order.addToItems(Item(context: context))
            }
            do { try context.save() } catch { fatalError("no fixture: \(error)") }
        }
        return container
    }()
}

@Suite("Orders", .printsChanges)
struct ForkTests {
    let container: NSPersistentContainer

    init() throws { container = try Fixture.orders.fork() }

    @Test("A deleted order is gone, and its item with it", arguments: [1, 500, 1000] as [Int64])
    func deletion(number: Int64) throws {
        let context = container.newBackgroundContext()
        let left = try context.performAndWait {
            for order in try context.fetch(Order.fetch(number: number)) { context.delete(order) }
            try context.save()
            return try context.count(for: Item.fetchRequest())
        }
        #expect(left == 999)
    }
}
