import CoreData

/// Somebody who wrote commits: one object for each name and address.
final class Author: NSManagedObject {
    var name: String {
        get { value(forKey: "name") as? String ?? "" }
        set { setValue(newValue, forKey: "name") }
    }

    var email: String {
        get { value(forKey: "email") as? String ?? "" }
        set { setValue(newValue, forKey: "email") }
    }

    /// How many objects are in `commits`.
    var commitCount: Int {
        get { value(forKey: "commitCount") as? Int ?? 0 }
        set { setValue(newValue, forKey: "commitCount") }
    }
}
