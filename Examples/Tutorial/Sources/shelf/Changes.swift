import CoreData

/// Adds a book, and its author unless there is one of that name.
func add(_ title: String, by name: String, pages: Int32, to container: NSPersistentContainer) async throws {
    let context = container.newBackgroundContext()
    try await context.perform {
        context.transactionAuthor = "add"
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.predicate = NSPredicate(format: "name == %@", name)
        let author = try context.fetch(request).first ?? Author(context: context)
        author.name = name
        let book = Book(context: context)
        book.title = title
        book.pages = pages
        book.author = author
        try context.save()
    }
}

/// Marks a book as finished now.
func finish(_ title: String, in container: NSPersistentContainer) async throws {
    let context = container.newBackgroundContext()
    try await context.perform {
        context.transactionAuthor = "finish"
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == %@", title)
        let books = try context.fetch(request)
        guard !books.isEmpty else { throw Mistake("there is no book “\(title)”") }
        for book in books { book.finished = Date() }
        try context.save()
    }
}
