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

/// A page's code, with the names that a guide may use.
typealias PageFunction =
    (NSPersistentContainer, NSPersistentStoreCoordinator, NSManagedObjectContext) async throws -> Void

/// Runs each page as `Examples/Guides` does: on a new store with three books, in a folder of its own.
func runPages(_ pages: [(path: String, run: PageFunction)]) async throws {
    for page in pages {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { throw CocoaError(.fileNoSuchFile) }
        let container = try openNewLibrary()
        try addBooks(to: container)
        do {
            try await page.run(container, container.persistentStoreCoordinator, container.newBackgroundContext())
        } catch {
            FileHandle.standardError.write(Data("\(page.path): \(error)\n".utf8))
            exit(1)
        }
    }
}
