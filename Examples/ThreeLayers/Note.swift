import CoreData
import Foundation

final class Note: NSManagedObject {
    @NSManaged var text: String?
    @NSManaged var edited: Date?
}
