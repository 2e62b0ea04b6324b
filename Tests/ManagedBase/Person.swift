public import CoreData
import Foundation

/// A class of another module than its users': as an application's model layer would be.
open class Person: NSManagedObject {
    @NSManaged public var name: String
    @NSManaged open var nickname: String?
    @NSManaged public internal(set) var visits: Int64

    public func visit() { visits += 1 }
}

public enum Mood: Int16 {
    case good = 1
    case bad = 2
}

extension Mood: RowValue {}

extension Person {
    /// Nested in an extension, like options of settings often are.
    public struct Options {
        public var isLoud = false
        public init() {}
    }

    @NSManaged public var born: Date?
}
