import CoreData

final class Author: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var bookCount: Int64
    @NSManaged var books: Set<Book>
}

final class Book: NSManagedObject {
    enum Status: Int16 { case wanted, reading, done }

    @NSManaged var title: String
    @NSManaged var pages: Int32
    @NSManaged var finished: Date?
    @NSManaged var status: Status
    @NSManaged var cover: Data?
    @NSManaged var author: Author?
}
