import CoreData
import Foundation

/// A file that waits to be uploaded, or was.
class UploadRecord: NSManagedObject {
    enum Status: Int16 { case waiting, running, done, failed }

    @NSManaged var identifier: UUID?
    @NSManaged var fileName: String
    @NSManaged var byteCount: Int64
    @NSManaged var status: Status
    @NSManaged var created: Date?
}
