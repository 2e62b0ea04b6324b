import Foundation

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor
import struct FirnFoundation.Selector

/// Predicates, expressions and sort descriptors as model files write them: the predicate language.
enum PredicateText {
    /// Nil for text that is no predicate.
    static func predicate(_ text: String) -> NSPredicate? {
        try? NSPredicate(validatingFormat: text)
    }

    /// Nil for text that is no expression.
    static func expression(_ text: String) -> NSExpression? {
        try? NSExpression(validatingFormat: text)
    }

    static func text(_ predicate: NSPredicate) -> String { predicate.predicateFormat }

    static func text(_ expression: NSExpression) -> String { expression.description }

    /// `<firn:item key="…" ascending="NO" selector="…"/>`; nil for a descriptor that compares with a closure.
    static func element(_ descriptor: NSSortDescriptor) -> ModelFileElement? {
        guard let key = descriptor.key, !descriptor.hasComparator else { return nil }
        var element = ModelFileElement("firn:item", ["key": key])
        element["ascending"] = descriptor.ascending ? nil : "NO"
        element["selector"] = descriptor.selector?.description
        return element
    }

    static func sortDescriptor(_ element: ModelFileElement) -> NSSortDescriptor? {
        guard let key = element["key"] else { return nil }
        let ascending = element["ascending"] != "NO"
        guard let selector = element["selector"] else {
            return NSSortDescriptor(key: key, ascending: ascending)
        }
        return NSSortDescriptor(key: key, ascending: ascending, selector: Selector(selector))
    }
}
