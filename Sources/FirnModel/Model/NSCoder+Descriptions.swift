import FirnFoundation
package import Foundation

import class FirnFoundation.NSExpression

/// Texts and literal values in the archives of descriptions and requests.
extension NSCoder {
    package func encode(text: String?, forKey key: String) { encode(text as NSString?, forKey: key) }

    package func text(forKey key: String) -> String? { decodeObject(of: NSString.self, forKey: key) as String? }

    /// Writes a value as the literal that predicates have for it, because Linux's archiver cannot write decimals. A
    /// value without a literal traps.
    package func encode(literal value: Any?, forKey key: String) {
        encode(value.map { NSExpression(forConstantValue: $0) }, forKey: key)
    }

    /// The value of an expression that holds no key path or variable; nil for none, or for another expression.
    package func literal(forKey key: String) -> Any? {
        guard let expression = decodeObject(of: NSExpression.self, forKey: key) else { return nil }
        return (try? expression.value(for: nil)) ?? nil
    }
}
