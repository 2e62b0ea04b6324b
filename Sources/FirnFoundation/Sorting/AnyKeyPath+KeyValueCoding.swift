extension AnyKeyPath {
    /// The key-value coding key path of a Swift key path, as on Apple's systems: `"customer.name"` for
    /// `\Order.customer?.name`. Nil if a property of the path has no name in key-value coding.
    ///
    /// The standard library declares the property too. On Linux its value is always nil, because no property is known
    /// to Objective-C. A declaration of an imported module takes precedence over the standard library's.
    public var _kvcKeyPathString: String? { keyValueCodingKeyPath(for: self) }
}
