import CoreData

final class Author: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var books: Set<Book>
}

final class Book: NSManagedObject {
    @NSManaged var title: String
    @NSManaged var pages: Int32
    @NSManaged var finished: Date?
    @NSManaged var author: Author?
}
