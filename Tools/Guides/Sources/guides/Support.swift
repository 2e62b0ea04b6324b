import CoreData
import Foundation
import Synchronization

/// What a page printed since it was last compared.
private let printed = Mutex<[String]>([])

/// Takes the place of Swift's own function in the code of the pages.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    let text = items.map { "\($0)" }.joined(separator: separator)
    printed.withLock { $0 += text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
}

struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless the page printed these lines since the last comparison.
func checkPrinted(_ page: String, _ line: Int, _ expected: [String]) throws {
    let lines = printed.withLock { lines in
        defer { lines = [] }
        return lines
    }
    guard lines != expected else { return }
    throw Unexpected(description: "\(page):\(line): this was printed instead:\n" + lines.joined(separator: "\n"))
}

/// Throws if the page printed something that it does not show.
func checkAllPrinted(_ page: String) throws {
    let lines = printed.withLock { $0 }
    if lines.isEmpty { return }
    throw Unexpected(description: "\(page): this was printed, and the page does not show it:\n\(lines)")
}

/// A page's code, with names that it may use: a container, its coordinator, and a context on a queue of its own.
typealias PageFunction =
    (NSPersistentContainer, NSPersistentStoreCoordinator, NSManagedObjectContext) async throws -> Void

/// Runs each page on a new store with three books.
func runPages(_ pages: [(path: String, run: PageFunction)]) async throws {
    let model = try guideModel()
    for page in pages {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { throw CocoaError(.fileNoSuchFile) }
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(filePath: "Library.sqlite"))]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        try addBooks(to: container)
        do {
            try await page.run(container, container.persistentStoreCoordinator, container.newBackgroundContext())
        } catch {
            FileHandle.standardError.write(Data("\(page.path): \(error)\n".utf8))
            exit(1)
        }
    }
}

private func guideModel() throws -> NSManagedObjectModel {
    guard let url = Bundle.module.url(forResource: "Books", withExtension: "xcdatamodeld"),
        let model = NSManagedObjectModel(contentsOf: url)
    else { throw CocoaError(.fileNoSuchFile) }
    return model
}

private func addBooks(to container: NSPersistentContainer) throws {
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
