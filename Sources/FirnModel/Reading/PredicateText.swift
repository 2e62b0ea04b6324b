import Foundation
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// Predicates, expressions and sort descriptors as model files write them: the predicate language.
enum PredicateText {
    static func predicate(_ text: String) -> NSPredicate? { nil }

    static func expression(_ text: String) -> NSExpression? { nil }

    static func sortDescriptor(_ element: ModelFileElement) -> NSSortDescriptor? { nil }

    static func element(_ descriptor: NSSortDescriptor) -> ModelFileElement? { nil }

    static func text(_ predicate: NSPredicate) -> String { "" }

    static func text(_ expression: NSExpression) -> String { "" }
}
