import CoreData
import Foundation
import ManagedBase
import class ManagedBase.Person

/// A property of every type that Core Data has, as hand-written classes declare them.
final class Everything: NSManagedObject {
    @NSManaged var text: String
    @NSManaged var optionalText: String?
    @NSManaged var objectiveText: NSString?
    @NSManaged var größeInZentimetern: String?
    @NSManaged var _名前: String?
    @NSManaged var small: Int16
    @NSManaged var middle: Int32
    @NSManaged var large: Int64
    @NSManaged var plain: Int
    @NSManaged var number: NSNumber?
    @NSManaged var isOn: Bool
    @NSManaged var isPerhapsOn: NSNumber?
    @NSManaged var double: Double
    @NSManaged var float: Float
    @NSManaged var price: NSDecimalNumber?
    @NSManaged var amount: Decimal
    @NSManaged var date: Date?
    @NSManaged var objectiveDate: NSDate?
    @NSManaged var interval: TimeInterval
    /// A date, as Xcode's scalar classes have it.
    @NSManaged var seconds: TimeInterval
    /// Declared otherwise than the model has them.
    @NSManaged var wholeAsReal: Double
    @NSManaged var flagAsWhole: Int32
    @NSManaged var data: Data?
    @NSManaged var objectiveData: NSData?
    @NSManaged var identifier: UUID?
    @NSManaged var link: URL?
    @NSManaged var tags: [String]?
    @NSManaged var settings: [String: Any]?
    @NSManaged var counts: Dictionary<String, Int>?
    @NSManaged var names: [String: String]!
    @NSManaged var anything: Any?
    @NSManaged var object: AnyObject?
    @NSManaged var coding: NSCoding?
    @NSManaged var thing: NSObject?
    @NSManaged var mood: Mood
    @NSManaged var perhapsMood: Mood?
    @NSManaged var kind: Everything.Kind
    @NSManaged var first: String, second: String?
    @NSManaged var owner: Person?
    @NSManaged var `protocol`: String?
    @NSManaged var all_the_words_of_Everything: String?
    @NSManaged var x2y: String?
    @NSManaged var certainDate: Date
    @NSManaged var certainData: Data
    @NSManaged var certainIdentifier: UUID
    @NSManaged var certainLink: URL
    @NSManaged var perhapsAmount: Decimal?
    @NSManaged var unsigned: UInt16
    @NSManaged var only: Only
    @NSManaged var perhapsKind: Everything.Kind?
    @NSManaged var aNameOfMoreThanFifteenCharacters: Int32
    @NSManaged private var primitiveText: String?
    @NSManaged fileprivate var hidden: String?

    enum Kind: String { case one, two }
    /// Takes no place in memory, and no register.
    enum Only: Int16 { case one = 1 }
    static var hiddenKeyPath: AnyKeyPath { \Everything.hidden }

    /// Reads and writes below the notifications.
    var quietText: String? {
        get { primitiveText }
        set { primitiveText = newValue }
    }

    var shownHidden: String? {
        get { hidden }
        set { hidden = newValue }
    }
}

class Shelf: NSManagedObject {
    typealias Books = Set<Book>
    @NSManaged var books: Books?
    @NSManaged var plainBooks: NSSet?
    @NSManaged var sortedBooks: NSOrderedSet?
    @NSManaged var certainBooks: Set<Book>
    @NSManaged var listedBooks: [Book]
}

// Methods as Xcode writes them, without the attributes that only Objective-C has.
extension Shelf {
    @NSManaged func addToPlainBooks(_ value: Book)
    @NSManaged func removeFromPlainBooks(_ value: Book)
    @NSManaged func addToPlainBooks(_ values: NSSet)
    @NSManaged func removeFromPlainBooks(_ values: NSSet)
    @NSManaged func insertIntoSortedBooks(_ value: Book, at idx: Int)
    @NSManaged func removeFromSortedBooks(at idx: Int)
    @NSManaged func insertIntoSortedBooks(_ values: [Book], at indexes: NSIndexSet)
    @NSManaged func removeFromSortedBooks(at indexes: NSIndexSet)
    @NSManaged func replaceSortedBooks(at idx: Int, with value: Book)
    @NSManaged func replaceSortedBooks(at indexes: NSIndexSet, with values: [Book])
    @NSManaged func addToSortedBooks(_ value: Book)
    @NSManaged func removeFromSortedBooks(_ value: Book)
    @NSManaged func addToSortedBooks(_ values: NSOrderedSet)
    @NSManaged func removeFromSortedBooks(_ values: NSOrderedSet)
}

final class Book: NSManagedObject {
    @NSManaged var title: String?
    @NSManaged var shelf: Shelf?
    @NSManaged var plainShelf: Shelf?
    @NSManaged var sortedShelf: Shelf?
    @NSManaged var certainShelf: Shelf?
    @NSManaged var listedShelf: Shelf?
}

/// A subclass of a subclass of another module's class.
class Employee: Person {
    @NSManaged var salary: Double
    @NSManaged var boss: Employee?
}

final class Manager: Employee {
    @NSManaged var team: String?
    @NSManaged override var nickname: String?
}

#if canImport(ObjectiveC)
    final class NotOnLinux: NSManagedObject {
        @NSManaged var view: NSView
    }
#endif

extension Person {
    /// Declared in another module than its class.
    @NSManaged var motto: String?
}
