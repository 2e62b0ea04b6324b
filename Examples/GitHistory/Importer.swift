import CoreData
import Foundation

/// Brings commits into the store: one commit, one save.
///
/// Confined to the queue of its context.
final class Importer {
    private let context: NSManagedObjectContext
    private var files: [GitPath: File] = [:]
    private var authors: [String: Author] = [:]
    /// The newest commit in the store.
    private(set) var last: Commit?

    /// Finds what an earlier import left.
    init(_ context: NSManagedObjectContext) throws {
        self.context = context
        // Commits are numbered in the order in which they were saved.
        let newest = NSFetchRequest<Commit>(entityName: "Commit")
        newest.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        newest.fetchLimit = 1
        last = try context.fetch(newest).first
        for file in try context.fetch(NSFetchRequest<File>(entityName: "File")) {
            files[file.gitPath] = file
        }
        for author in try context.fetch(NSFetchRequest<Author>(entityName: "Author")) {
            authors[Self.signature(author.name, author.email)] = author
        }
    }

    /// Saves a commit that follows `last`.
    func add(_ commit: GitCommit) throws {
        let author = author(commit)
        author.commitCount += 1
        let object = Commit(context: context)
        object.identifier = commit.identifier
        object.number = (last?.number ?? 0) + 1
        object.subject = commit.subject
        object.authored = commit.authored
        object.committed = commit.committed
        object.author = author
        object.parent = last
        for change in commit.changes { apply(change, by: object) }
        object.fileCount = files.count
        context.transactionAuthor = Self.signature(commit.authorName, commit.authorEmail)
        try context.save()
        last = object
    }

    private func author(_ commit: GitCommit) -> Author {
        let signature = Self.signature(commit.authorName, commit.authorEmail)
        if let known = authors[signature] { return known }
        let author = Author(context: context)
        author.name = commit.authorName
        author.email = commit.authorEmail
        authors[signature] = author
        return author
    }

    private func apply(_ change: GitChange, by commit: Commit) {
        guard let entry = change.entry else {
            if let file = files.removeValue(forKey: change.path) { context.delete(file) }
            return
        }
        let file: File
        if let known = files[change.path] {
            file = known
        } else {
            file = File(context: context)
            file.gitPath = change.path
            files[change.path] = file
        }
        if file.mode != Int(entry.mode) { file.mode = Int(entry.mode) }
        if file.blob != entry.blob { file.blob = entry.blob }
        file.lastCommit = commit
    }

    private static func signature(_ name: String, _ email: String) -> String {
        "\(name) <\(email)>"
    }
}
