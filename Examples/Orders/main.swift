// An order book with the stack of the many tutorials.
//
//     swift run Orders [FOLDER]     the store is made in the folder, else in the temporary one
import CoreData
import Foundation

do { try run() } catch { stop("Orders", error) }

@MainActor func run() throws {
    let manager = CoreDataStackManager.sharedManager
    let viewContext = manager.managedObjectContext
    let before = try viewContext.count(for: Customer.fetchRequest())

    // Import on a private queue, and let the main context hear of it.
    let importContext = try manager.newPrivateQueueContextWithNewPSC()
    let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: importContext, queue: nil
    ) { notification in
        viewContext.perform { viewContext.mergeChanges(fromContextDidSave: notification) }
    }
    try importContext.performAndWait {
        let customer = Customer(context: importContext)
        customer.name = "Ada"
        for number in 1...100 {
            let order =
                NSEntityDescription.insertNewObject(forEntityName: "Order", into: importContext) as! Order
            order.number = Int64(number)
            order.total = Double(number) * 1.5
            customer.addToOrders(order)
        }
        try importContext.save()
    }
    NotificationCenter.default.removeObserver(observer)

    // Find one by its number.
    let request = NSFetchRequest<Order>(entityName: "Order")
    request.predicate = NSPredicate(format: "number == %d", 42)
    request.fetchLimit = 1
    guard let order = try viewContext.fetch(request).first else { return print("there is no order 42") }
    print("found order \(order.number) of \(order.customer?.name ?? "nobody"), total \(order.total)")

    // Update it.
    order.note = "call before delivery"
    order.total += 10
    manager.saveContext()
    print("updated order \(order.number): \(order.note ?? "no note"), total \(order.total)")

    // The dearest first, by key path.
    let dearest = NSFetchRequest<Order>(entityName: "Order")
    dearest.sortDescriptors = [NSSortDescriptor(keyPath: \Order.total, ascending: false)]
    dearest.fetchLimit = 3
    print("dearest: \(try viewContext.fetch(dearest).map(\.number))")

    // Delete one, then its customer with all others.
    viewContext.delete(order)
    manager.saveContext()
    print("after deleting one: \(try viewContext.count(for: NSFetchRequest<Order>(entityName: "Order")))")
    let everyCustomer: NSFetchRequest<Customer> = Customer.fetchRequest()
    for customer in try viewContext.fetch(everyCustomer) { viewContext.delete(customer) }
    manager.saveContext()
    print("after deleting the customer: \(try viewContext.count(for: NSFetchRequest<Order>(entityName: "Order")))")
    print("customers before and after: \(before), \(try viewContext.count(for: Customer.fetchRequest()))")
}
