import CoreData
import Foundation

extension Customer {
    class func fetchRequest() -> NSFetchRequest<Customer> {
        return NSFetchRequest<Customer>(entityName: "Customer")
    }

    @NSManaged var name: String?
    @NSManaged var orders: NSSet?
}

// Generated accessors for orders
extension Customer {
    @NSManaged func addToOrders(_ value: Order)
    @NSManaged func removeFromOrders(_ value: Order)
    @NSManaged func addToOrders(_ values: NSSet)
    @NSManaged func removeFromOrders(_ values: NSSet)
}
