import Firn
import Foundation

extension UserMistake {
    static let keys: [UserMistake] = [
        UserMistake("read an unknown key", "entity Author", "the key \"nme\"", "its properties are age") {
            _ = try newAuthor().value(forKey: "nme")
        },
        UserMistake("set an unknown key", "entity Author", "the key \"nme\"", "its properties are age") {
            try newAuthor().setValue("x", forKey: "nme")
        },
        UserMistake("read an unknown key path", "the key \"nme\"") {
            _ = try newBook().value(forKeyPath: "author.nme")
        },
        UserMistake("set an unknown key path", "the key \"nme\"") {
            try newBook().setValue(1, forKeyPath: "author.nme")
        },
        UserMistake("read values of unknown keys", "the key \"nme\"") {
            _ = try newAuthor().dictionaryWithValues(forKeys: ["nme"])
        },
        UserMistake("set values of unknown keys", "the key \"nme\"") { try newAuthor().setValuesForKeys(["nme": 1]) },
        UserMistake("read an unknown primitive value", "no property \"nme\"") {
            _ = try newAuthor().primitiveValue(forKey: "nme")
        },
        UserMistake("set an unknown primitive value", "no property \"nme\"") {
            try newAuthor().setPrimitiveValue("x", forKey: "nme")
        },
        UserMistake("edit the set of an unknown key", "no property \"bks\"") {
            _ = try newAuthor().mutableSetValue(forKey: "bks")
        },
        UserMistake("edit the set of an attribute", "\"name\" of Author", "to-many relationship") {
            _ = try newAuthor().mutableSetValue(forKey: "name")
        },
        UserMistake("edit the set of an ordered relationship", "\"books\" of Author", "mutableOrderedSetValue") {
            _ = try newAuthor().mutableSetValue(forKey: "books")
        },
        UserMistake("edit the ordered set of an unordered relationship", "\"tags\" of Book", "mutableSetValue") {
            _ = try newBook().mutableOrderedSetValue(forKey: "tags")
        },
        UserMistake("ask whether an unknown relationship is a fault", "no property \"bks\"") {
            _ = try newAuthor().hasFault(forRelationshipNamed: "bks")
        },
        UserMistake("ask for the IDs of an unknown relationship", "no property \"bks\"") {
            _ = try newAuthor().objectIDs(forRelationshipNamed: "bks")
        },
    ]

    /// A value that an attribute does not take.
    private static func setting(_ value: any Sendable, _ key: String, _ words: String) -> UserMistake {
        let given = "given type = \(type(of: value))"
        return UserMistake("set \(key) to a \(type(of: value))", words: ["\"\(key)\"", words, given]) {
            try newAuthor().setValue(value, forKey: key)
        }
    }

    static let values: [UserMistake] = [
        setting(3, "name", "desired type = String"), setting("x", "age", "desired type = NSNumber"),
        setting("x", "born", "desired type = Date"), setting("x", "worth", "desired type = NSDecimalNumber"),
        setting("x", "homepage", "desired type = URL"), setting("x", "id", "desired type = UUID"),
        setting("x", "portrait", "desired type = Data"), setting("x", "books", "desired type = NSSet, NSOrderedSet"),
        UserMistake("set texts as members", "\"books\"", "NSManagedObject for each member") {
            try newAuthor().setValue(NSOrderedSet(array: ["x"]), forKey: "books")
        },
        UserMistake("set an object as members", "\"books\"", "NSSet, NSOrderedSet") {
            let book = try newBook()
            (book.value(forKey: "author") as? NSManagedObject)?.setValue(book, forKey: "books")
        },
        UserMistake("set members as an object", "\"author\"", "desired type = NSManagedObject") {
            try newBook().setValue(NSSet(), forKey: "author")
        },
        UserMistake("set an ID as an object", "\"author\"", "given type = NSManagedObjectID") {
            try newBook().setValue(try newAuthor().objectID, forKey: "author")
        },
        UserMistake("set an object of another entity", "desired entity = Author; given entity = Tag") {
            let context = try newContext()
            context.make("Book").setValue(context.make("Tag"), forKey: "author")
        },
        UserMistake("set a primitive value of a wrong type", "\"age\"", "given type = String") {
            try newAuthor().setPrimitiveValue("x", forKey: "age")
        },
        UserMistake("set a primitive object of a wrong type", "\"author\" of Book takes an NSManagedObject") {
            try newBook().setPrimitiveValue("x", forKey: "author")
        },
        UserMistake("set primitive members of a wrong type", "\"books\"", "given type = String") {
            try newAuthor().setPrimitiveValue("x", forKey: "books")
        },
    ]
}
