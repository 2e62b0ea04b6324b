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

extension NSSortDescriptor {
    /// The sort descriptor that orders as one of Foundation's does.
    ///
    /// A descriptor made from a key path keeps the key path and its key, so a store can sort by it. One made from a
    /// comparator calls the comparator.
    ///
    /// https://developer.apple.com/documentation/foundation/nssortdescriptor/init(_:)
    public convenience init<Compared>(_ sortDescriptor: SortDescriptor<Compared>) {
        let isAscending = sortDescriptor.order == .forward
        guard let keyPath = sortDescriptor.keyPath, let key = keyValueCodingKeyPath(for: keyPath)
        else {
            self.init(key: nil, ascending: isAscending) { left, right in
                guard let left = left as? Compared, let right = right as? Compared else {
                    misuse(
                        "A sort descriptor of \(Compared.self) was given \(type(of: left)) and \(type(of: right))."
                    )
                }
                // Its order includes its direction, which is applied once more to what is returned here.
                let order = sortDescriptor.compare(left, right)
                return isAscending ? order : order.opposite
            }
            return
        }
        self.init(key: key, ascending: isAscending, selector: Selector(sortDescriptor.selectorName))
    }
}

extension SortDescriptor {
    /// The selector of the comparison. Texts are compared as a file browser lists names, unless the descriptor was made
    /// with `.lexical`, the one comparator that Foundation has on Linux.
    /// https://developer.apple.com/documentation/foundation/sortdescriptor/init(_:comparator:order:)
    package var selectorName: String {
        let type = keyPath.map { Swift.type(of: $0).valueType }
        let isText = type == String.self || type == String?.self
        return isText && stringComparator == nil ? "localizedStandardCompare:" : "compare:"
    }
}
