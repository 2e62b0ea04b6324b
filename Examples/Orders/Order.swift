import CoreData
import Foundation

/// Written by hand, as in an application for iOS.
class Order: NSManagedObject {
    @NSManaged var number: Int64
    @NSManaged var placed: Date?
    @NSManaged var note: String?
    @NSManaged var total: Double
    @NSManaged var customer: Customer?

    override func awakeFromInsert() {
        super.awakeFromInsert()
        placed = Date()
    }
}
