import Foundation

/// A property whose type is not known, as key-value coding reads and sets it by its name.
extension AnyKeyPath {
    /// The value in the types of key-value coding: an enumeration is its raw value, a number an `NSNumber`.
    package func codedValue(of root: Any) -> Any? {
        guard let value = root[keyPath: self].flatMap(valueWithoutOptionals) else { return nil }
        let plain = (value as? any RawRepresentable).map { $0.rawValue as Any } ?? value
        return plain as? NSNumber ?? plain
    }

    /// Sets the value. Returns false for one that the property cannot have, or a property that cannot be set.
    package func setCodedValue(_ value: Any?, of root: Any) -> Bool {
        (self as? any SettingPath)?.set(value.flatMap(valueWithoutOptionals), of: root) ?? false
    }
}

private protocol SettingPath {
    func set(_ value: Any?, of root: Any) -> Bool
}

extension ReferenceWritableKeyPath: SettingPath {
    fileprivate func set(_ value: Any?, of root: Any) -> Bool {
        guard let root = root as? Root, let decoded = decoded(value, as: Value.self) else { return false }
        root[keyPath: self] = decoded
        return true
    }
}

/// The value as a type that a property has. Whole numbers are those of any width that they fit in.
private func decoded<Value>(_ value: Any?, as type: Value.Type) -> Value? {
    guard let value else { return (type as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Value }
    let wanted = (type as? any AnyOptional.Type)?.wrappedType ?? type
    if let wanted = wanted as? any RawRepresentable.Type, let made = made(wanted, of: value) { return made as? Value }
    if case .number(let number) = PlainValue(value), let wanted = wanted as? any FixedWidthInteger.Type {
        return integer(number, as: wanted) as? Value
    }
    return value as? Value
}

private func made<Wanted: RawRepresentable>(_ type: Wanted.Type, of value: Any) -> Any? {
    decoded(value, as: Wanted.RawValue.self).flatMap(Wanted.init)
}

private func integer<Wanted: FixedWidthInteger>(_ number: NumericValue, as type: Wanted.Type) -> Any? {
    switch number {
    case .integer(let value): Wanted(exactly: value)
    case .unsigned(let value): Wanted(exactly: value)
    case .double, .decimal: Wanted(exactly: number.doubleValue.rounded(.towardZero))
    }
}
