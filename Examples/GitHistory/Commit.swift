import CoreData
import Foundation

/// One commit of the first-parent history.
final class Commit: NSManagedObject {
    var identifier: Data {
        get { value(forKey: "identifier") as? Data ?? Data() }
        set { setValue(newValue, forKey: "identifier") }
    }

    /// 1 for the oldest.
    var number: Int {
        get { value(forKey: "number") as? Int ?? 0 }
        set { setValue(newValue, forKey: "number") }
    }

    var subject: String {
        get { value(forKey: "subject") as? String ?? "" }
        set { setValue(newValue, forKey: "subject") }
    }

    var authored: Date {
        get { value(forKey: "authored") as? Date ?? Date(timeIntervalSince1970: 0) }
        set { setValue(newValue, forKey: "authored") }
    }

    var committed: Date {
        get { value(forKey: "committed") as? Date ?? Date(timeIntervalSince1970: 0) }
        set { setValue(newValue, forKey: "committed") }
    }

    /// How many files the tree of the commit has.
    var fileCount: Int {
        get { value(forKey: "fileCount") as? Int ?? 0 }
        set { setValue(newValue, forKey: "fileCount") }
    }

    var author: Author? {
        get { value(forKey: "author") as? Author }
        set { setValue(newValue, forKey: "author") }
    }

    /// The first parent. Its inverse, `children`, has one member at most here.
    var parent: Commit? {
        get { value(forKey: "parent") as? Commit }
        set { setValue(newValue, forKey: "parent") }
    }
}
