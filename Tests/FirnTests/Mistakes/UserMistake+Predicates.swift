import Firn
import FirnFoundation
import Foundation

import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate

extension UserMistake {
    private static func evaluate(_ format: String, _ arguments: Any...) throws {
        let author = try newAuthor()
        author.setValue(3, forKey: "age")
        _ = NSPredicate(format: format, argumentArray: arguments).evaluate(with: author)
    }

    static let predicates: [UserMistake] = [
        UserMistake("write a predicate that is none", "\"name ===\"", "at offset 7") {
            _ = NSPredicate(format: "name ===")
        },
        UserMistake("forget an argument", "%@ needs argument 2, but there are 1") {
            _ = NSPredicate(format: "name = %@ AND age = %@", "a")
        },
        UserMistake("give no array of arguments", "%@ needs argument 1, but there are 0") {
            _ = NSPredicate(format: "name = %@", argumentArray: nil)
        },
        UserMistake("name a key by a number", "%K needs a key path, but its argument is a Int") {
            _ = NSPredicate(format: "%K = 3", 3)
        },
        UserMistake("name a key by NSNull", "%K needs a key path, but its argument is a NSNull") {
            _ = NSPredicate(format: "%K = 3", argumentArray: [NSNull()])
        },
        UserMistake("give a text for a number", "%d needs a number, but its argument is a String") {
            _ = NSPredicate(format: "age = %d", "x")
        },
        UserMistake("evaluate an unknown key", "the key \"nme\"", "its properties are age") { try evaluate("nme = 1") },
        UserMistake("evaluate a key of a number", "Int has no value for the key \"name\"") {
            _ = NSPredicate(format: "name = 1").evaluate(with: 3)
        },
        UserMistake("look for a value in a number", "age IN 3", "neither a collection nor a string") {
            try evaluate("age IN %@", 3)
        },
        UserMistake("look between one bound", "BETWEEN needs two bounds, not 1") {
            try evaluate("age BETWEEN %@", [3])
        },
        UserMistake("match a number with a pattern", "age LIKE \"x\"", "compares strings") {
            try evaluate("age LIKE 'x'")
        },
        UserMistake("match with a broken expression", "the regular expression \"(\" cannot be used") {
            try evaluate("name MATCHES '('")
        },
        UserMistake("use a variable without a value", "the variable $x has no value") { try evaluate("name = $x") },
        UserMistake("ask for any of an attribute", "ANY and ALL need a collection") { try evaluate("ANY name = 'x'") },
        UserMistake("look into an attribute with a subquery", "SUBQUERY needs a collection") {
            try evaluate("SUBQUERY(name, $x, $x = 1).@count > 0")
        },
        UserMistake("cast to an unknown class", "CAST does not support the class Foo") {
            try evaluate("CAST(name, 'Foo') = 'a'")
        },
        UserMistake("negate two predicates", "NOT takes exactly one predicate, not 0") {
            _ = NSCompoundPredicate(type: .not, subpredicates: [])
        },
        UserMistake("call an unknown function", "there is no function foo:") {
            _ = NSExpression(forFunction: "foo:", arguments: [])
        },
        UserMistake("ask an expression for a part it lacks", "an expression of type constantValue has no keyPath") {
            _ = NSExpression(forConstantValue: 1).keyPath
        },
    ]
}
