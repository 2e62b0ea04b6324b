import CoreData
import Foundation
import ManagedBase
import TestSupport
import Testing

import class ManagedBase.Person

/// Columns that cannot be read. Every mistake is an error that names the key, the attribute's type and the Swift type;
/// nothing traps, in no build.
@Suite("Mistakes in columns of rows")
struct RowMistakeTests {
    private let context: NSManagedObjectContext

    init() throws { context = try ManagedModel.container() }

    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "none"
        } catch {
            return error.localizedDescription
        }
    }

    private func wrong<Value: RowValue>(_ key: String, _ type: Value.Type) -> String {
        failure { _ = try context.rows(of: Everything.self, .key(key, as: type)) }
    }

    @Test("a type that does not hold the attribute's values is an error, without a row")
    func types() {
        #expect(
            wrong("middle", String.self)
                == "\"middle\" is of the type Integer 32, whose values String does not hold: ask for Int32, Int64 or "
                + "Int, or an optional of it")
        #expect(wrong("middle", Optional<Int16>.self).contains("Optional<Int16> does not hold"))
        #expect(wrong("large", Int32.self).contains("Integer 64"))
        #expect(wrong("large", Double.self).contains("Int64 or Int"))
        #expect(wrong("double", Float.self).contains("ask for Double"))
        #expect(wrong("text", Int.self).contains("is of the type String"))
        #expect(wrong("isOn", Int.self).contains("ask for Bool"))
        #expect(wrong("date", String.self).contains("ask for Date"))
        #expect(wrong("price", Double.self).contains("ask for Decimal or NSDecimalNumber"))
        #expect(wrong("data", String.self).contains("Binary Data"))
        #expect(wrong("identifier", String.self).contains("ask for UUID"))
        #expect(wrong("link", String.self).contains("ask for URL"))
        #expect(wrong("tags", String.self).contains("the archived value; fetch objects"))
        #expect(wrong("owner", String.self).contains("\"owner\" is an object, which String does not hold"))
        #expect(wrong("owner.visits", String.self).contains("Integer 64"))
        #expect(wrong("text", NSManagedObjectID.self).contains("is of the type String"))
        #expect(wrong("text.length", String.self).contains("is of the type Integer 64"))
        #expect(wrong("objectID", Int.self).contains("is an object"))
        #expect(failure { _ = try context.rows(of: Everything.self, \.wholeAsReal) }.contains("Int64 or Int"))
        #expect(failure { _ = try context.rows(of: Everything.self, \.flagAsWhole) }.contains("ask for Bool"))
    }

    @Test("a type that holds the values of wider attributes is none")
    func widths() {
        for error in [
            wrong("small", Int32.self), wrong("small", Int.self), wrong("middle", Int64.self),
            wrong("float", Double.self), wrong("tags", Optional<Data>.self), wrong("price", NSNumber.self),
            wrong("isOn", NSNumber.self),
        ] { #expect(error == "none") }
    }

    @Test("a column that is not there is an error")
    func keys() {
        #expect(wrong("nothing", Int.self).contains("“nothing”"))
        #expect(wrong("owner.everything", Int.self).contains("to-many"))
        #expect(wrong("", Int.self).contains("does not hold"))
        #expect(
            failure { _ = try context.rows(of: Everything.self, \.quietText) }
                .contains("has no name in key-value coding"))
        #expect(
            failure { _ = try context.rows(of: Everything.self, .count(\.quietText)) }
                .contains("has no name in key-value coding"))
        #expect(failure { _ = try context.rows(of: NSManagedObject.self, .key("text", as: String.self)) } != "none")
    }

    @Test("a null in a column that is not optional names the row, the key and the remedy")
    func nulls() throws {
        for text in ["a", nil, "b"] { Everything(context: context).optionalText = text }
        try context.save()
        let error = failure {
            _ = try context.rows(of: Everything.self, .key("optionalText", as: String.self))
        }
        #expect(
            error == "row 1 of the fetch (the first is 0) has no value for \"optionalText\", which String cannot hold: "
                + "ask for String?, as with .optional or .key(\"optionalText\", as: String?.self)")
        #expect(failure { _ = try context.rows(of: Everything.self, \.small) }.contains("ask for Int16?"))
        #expect(try context.rows(of: Everything.self, .optional(\.small)) == [nil, nil, nil] as [Int16?])
    }

    @Test("a value that the type has no case or no room for names both")
    func values() throws {
        let object = Everything(context: context)
        (object.small, object.plain) = (7, 70_000)
        object.mood = .good
        try context.save()
        #expect(failure { _ = try context.rows(of: Everything.self, .key("small", as: Mood.self)) }.contains("value 7"))
        #expect(
            failure {
                _ = try context.rows(of: Everything.self, .computed(NSExpression(format: "plain * 2"), as: Int16.self))
            }.contains("value 140000 for \"plain * 2\", which Int16 cannot hold"))
    }

    @Test("columns that do not go together are an error")
    func combinations() {
        #expect(failure { _ = try context.rows(of: Everything.self, .value(\.text), .count) }.contains("groupedBy"))
        #expect(
            failure {
                _ = try context.rows(of: Everything.self, .sum(\.plain).named("a"), .sum(\.large).named("a"))
            }.contains("two columns have the name \"a\""))
        #expect(
            failure {
                _ = try context.rows(
                    of: Everything.self, groupedBy: \.text, computing: .min(\.plain), .key("plain", as: Int.self))
            } != "none")
    }
}
