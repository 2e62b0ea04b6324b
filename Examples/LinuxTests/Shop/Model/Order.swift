import CoreData
import os

@objc(Order)
public class Order: NSManagedObject {
    @NSManaged public var number: Int64
    @NSManaged public var placed: Date?
    @NSManaged public var items: NSSet?

    /// The amount that the customer pays.
    @objc var total: Int64 {
        (items as? Set<Item> ?? []).reduce(0) { $0 + $1.price }
    }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        placed = Date()
    }

    static func fetch(number: Int64) -> NSFetchRequest<Order> {
        let request = NSFetchRequest<Order>(entityName: "Order")
        request.predicate = NSPredicate(format: "%K == %d", #keyPath(Order.number), number)
        return request
    }
}

extension Order {
    @objc(addItemsObject:) @NSManaged public func addToItems(_ value: Item)
    @objc(removeItemsObject:) @NSManaged public func removeFromItems(_ value: Item)
}
