import Foundation

/// What the model-based test holds the object graph against: plain dictionaries, by a number that each object keeps as
/// its name, title or label.
struct World: Equatable {
    struct Book: Equatable {
        var pages = 0
        var author: Int?
        var tags: Set<Int> = []
    }

    /// Age by author.
    var authors: [Int: Int] = [:]
    var books: [Int: Book] = [:]
    var tags: Set<Int> = []
    /// The books of each author that has any, in order.
    var order: [Int: [Int]] = [:]

    mutating func setAuthor(_ author: Int?, of book: Int) {
        guard books[book]?.author != author else { return }
        leave(book)
        books[book]?.author = author
        if let author { order[author, default: []].append(book) }
    }

    mutating func setBooks(_ list: [Int], of author: Int) {
        for book in order[author] ?? [] where !list.contains(book) { setAuthor(nil, of: book) }
        for book in list { setAuthor(author, of: book) }
        order[author] = list.isEmpty ? nil : list
    }

    mutating func setBooks(_ set: Set<Int>, ofTag tag: Int) {
        for book in books.keys {
            if set.contains(book) { books[book]?.tags.insert(tag) } else { books[book]?.tags.remove(tag) }
        }
    }

    mutating func deleteAuthor(_ author: Int) {
        for book in order[author] ?? [] { books[book] = nil }
        order[author] = nil
        authors[author] = nil
    }

    mutating func deleteBook(_ book: Int) {
        leave(book)
        books[book] = nil
    }

    mutating func deleteTag(_ tag: Int) {
        setBooks([], ofTag: tag)
        tags.remove(tag)
    }

    private mutating func leave(_ book: Int) {
        guard let old = books[book]?.author else { return }
        order[old]?.removeAll { $0 == book }
        if order[old]?.isEmpty == true { order[old] = nil }
    }
}
