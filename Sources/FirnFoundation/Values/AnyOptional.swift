/// An optional whose type is not known, as it comes out of reflection or of `as Any`.
protocol AnyOptional {
    var unwrapped: Any? { get }
}

extension Optional: AnyOptional {
    var unwrapped: Any? {
        guard let self else { return nil }
        if let inner = self as? any AnyOptional { return inner.unwrapped }
        return self
    }
}
