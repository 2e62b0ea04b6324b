import CoreData
import Foundation

#if canImport(ObjectiveC)
    @objc(Customer)
#endif
public class Customer: NSManagedObject {

}
