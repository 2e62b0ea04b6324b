import Firn
import Foundation

extension UserMistake {
    /// Edits an ordered relationship with one member.
    private static func edit(_ change: (NSMutableOrderedSet, NSManagedObjectContext) -> Void) throws {
        let context = try newContext()
        let books = context.make("Author").mutableOrderedSetValue(forKey: "books")
        books.add(context.make("Book"))
        change(books, context)
    }

    static let members: [UserMistake] = [
        UserMistake("read a member that is not there", "index 7", "\"books\" of Author") {
            try edit { books, _ in _ = books.object(at: 7) }
        },
        UserMistake("read a member by a negative index", "index -1", "\"books\" of Author") {
            try edit { books, _ in _ = books[-1] }
        },
        UserMistake("read members that are not there", "index 7", "\"books\" of Author") {
            try edit { books, _ in _ = books.objects(at: [0, 7]) }
        },
        UserMistake("insert a member beyond the end", "index 7", "the last one possible here is 1") {
            try edit { books, context in books.insert(context.make("Book"), at: 7) }
        },
        UserMistake("insert fewer members than places", "1 objects for 2 places") {
            try edit { books, context in books.insert([context.make("Book")], at: [0, 1]) }
        },
        UserMistake("set a member beyond the end", "index 7", "\"books\" of Author") {
            try edit { books, context in books.setObject(context.make("Book"), at: 7) }
        },
        UserMistake("replace a member that is not there", "index 7", "\"books\" of Author") {
            try edit { books, context in books.replaceObject(at: 7, with: context.make("Book")) }
        },
        UserMistake("exchange a member with none", "index 7", "\"books\" of Author") {
            try edit { books, _ in books.exchangeObject(at: 0, withObjectAt: 7) }
        },
        UserMistake("move members that are not there", "index 7", "\"books\" of Author") {
            try edit { books, _ in books.moveObjects(at: [7], to: 0) }
        },
        UserMistake("remove a member that is not there", "index 7", "the last one possible here is 0") {
            try edit { books, _ in books.removeObject(at: 7) }
        },
        UserMistake("remove a range that is not there", "range {5, 3}", "\"books\" of Author") {
            try edit { books, _ in books.removeObjects(in: NSRange(location: 5, length: 3)) }
        },
        UserMistake("add a text as a member", "\"books\" of Author holds managed objects, not x") {
            try edit { books, _ in books.add("x") }
        },
        UserMistake("add a text to an unordered set", "\"tags\" of Book holds managed objects, not x") {
            try newBook().mutableSetValue(forKey: "tags").add("x")
        },
        UserMistake("add a member of another entity", "desired entity = Book; given entity = Tag") {
            try edit { books, context in books.add(context.make("Tag")) }
        },
    ]
}
