import CoreData

/// Makes a new Library.sqlite in the current folder; an old one is removed.
func openNewLibrary() throws -> NSPersistentContainer {
    for name in try FileManager.default.contentsOfDirectory(atPath: ".") where name.hasPrefix("Library.sqlite") {
        try FileManager.default.removeItem(atPath: name)
    }
    let container = NSPersistentContainer(name: "Books")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(filePath: "Library.sqlite"))]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
}

/// Adds two authors and three books, in one save.
func addBooks(to container: NSPersistentContainer) throws {
    let context = container.newBackgroundContext()
    try context.performAndWait {
        for (name, title, pages) in [
            ("Jane Austen", "Emma", 474), ("Jane Austen", "Persuasion", 249), ("Henry David Thoreau", "Walden", 352),
        ] {
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.predicate = NSPredicate(format: "name == %@", name)
            let author = try context.fetch(request).first ?? Author(context: context)
            author.name = name
            let book = Book(context: context)
            book.title = title
            book.pages = Int32(pages)
            book.author = author
        }
        context.transactionAuthor = "setup"
        try context.save()
    }
}
