import CoreData

/// Prints the books that a context shows, longest first.
func list(_ context: NSManagedObjectContext) async throws {
    try await context.perform {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.pages, ascending: false)]
        for book in try context.fetch(request) {
            let mark = book.finished == nil ? " " : "x"
            print("[\(mark)] \(book.title), \(book.author?.name ?? "unknown"), \(book.pages) pages")
        }
    }
}
