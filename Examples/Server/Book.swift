import CoreData

/// A book of the library.
class Book: NSManagedObject {
    @NSManaged var title: String
    @NSManaged var pages: Int32
    /// Counts the changes. Who changes the book sends the version that was read.
    @NSManaged var version: Int64
}

/// A book as the server answers.
struct BookAnswer: Codable {
    let id: ObjectID<Book>
    let title: String
    let pages: Int32
    let version: Int64

    init(_ book: Book) {
        id = book.typedID
        title = book.title
        pages = book.pages
        version = book.version
    }
}

/// A book as clients send it.
struct BookInput: Codable {
    let title: String
    let pages: Int32
    /// The version that was read; of no use for a new book.
    let version: Int64?

    func apply(to book: Book) {
        book.title = title
        book.pages = pages
    }
}
