public import Foundation

extension NSPredicate {
    /// The equivalent of a predicate made by Foundation's `#Predicate`; nil if there is none.
    ///
    /// `init(converting:)` throws the reason. The key paths need names in key-value coding: stored properties have
    /// them, computed ones have them where their class gives them (`KeyPathNaming`).
    ///
    /// https://developer.apple.com/documentation/foundation/nspredicate/init(_:)
    public convenience init?<Input>(_ predicate: Predicate<Input>) {
        do {
            try self.init(converting: predicate)
        } catch {
            return nil
        }
    }

    /// The equivalent of a predicate made by Foundation's `#Predicate`.
    ///
    /// Throws a `PredicateConversionError` for what the language cannot express: a cast to another type, a key path
    /// without a name, a slice of a collection.
    public convenience init<Input>(converting predicate: Predicate<Input>) throws {
        var conversion = PredicateConversion(root: predicate.variable.key)
        let converted = try conversion.predicate(predicate.expression)
        guard converted is Self else {
            throw PredicateConversionError(
                "The predicate converts to an \(type(of: converted)), not to an \(Self.self); ask for an NSPredicate."
            )
        }
        self.init(clusterMember: converted)
    }
}

extension NSExpression {
    /// The equivalent of an expression made by Foundation's `#Expression`; nil if there is none.
    public convenience init?<Input, Output>(_ expression: Expression<Input, Output>) {
        do {
            try self.init(converting: expression)
        } catch {
            return nil
        }
    }

    /// The equivalent of an expression made by Foundation's `#Expression`. Throws a `PredicateConversionError` for what
    /// the language cannot express.
    public convenience init<Input, Output>(converting expression: Expression<Input, Output>) throws
    {
        var conversion = PredicateConversion(root: expression.variable.key)
        self.init(node: try conversion.expression(expression.expression).node)
    }
}
