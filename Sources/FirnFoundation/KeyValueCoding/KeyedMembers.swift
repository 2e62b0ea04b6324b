/// The properties of a class by the keys of key-value coding. Apple's runtime finds them by their names.
///
///     static let members = KeyedMembers<Book>(["title": .init(\.title), "isLent": .init(\.isLent)])
///
/// A key `isLent` answers to `lent` too, as Apple's does.
package struct KeyedMembers<Root: AnyObject>: Sendable {
    /// One property.
    package struct Member: Sendable {
        fileprivate let get: @Sendable (Root) -> Any?
        /// False for a value of another type, or a property that cannot be set.
        fileprivate let set: @Sendable (Root, Any?) -> Bool

        package init<Value>(_ path: KeyPath<Root, Value> & Sendable) {
            get = { $0[keyPath: path] }
            set = { root, value in
                guard let writable = path as? ReferenceWritableKeyPath<Root, Value>, let value = value as? Value
                else { return false }
                root[keyPath: writable] = value
                return true
            }
        }

        /// A property that may be nil.
        package init<Value>(_ path: KeyPath<Root, Value?> & Sendable) {
            get = { $0[keyPath: path] }
            set = { root, value in
                guard let writable = path as? ReferenceWritableKeyPath<Root, Value?> else { return false }
                let converted = value.flatMap { $0 as? Value }
                if value != nil, converted == nil { return false }
                root[keyPath: writable] = converted
                return true
            }
        }

        /// An enumeration, which key-value coding reads and writes as its number.
        package init<Value: RawRepresentable<UInt> & Sendable>(_ path: KeyPath<Root, Value> & Sendable) {
            get = { $0[keyPath: path].rawValue }
            set = { root, value in
                guard let writable = path as? ReferenceWritableKeyPath<Root, Value>,
                    case .number(let number) = PlainValue(value),
                    let value = UInt(exactly: number.doubleValue).flatMap(Value.init)
                else { return false }
                root[keyPath: writable] = value
                return true
            }
        }
    }

    private let members: [String: Member]

    package init(_ members: [String: Member]) {
        let short = members.filter { $0.key.hasPrefix("is") }.map { key, member in
            let name = key.dropFirst(2)
            return (name.prefix(1).lowercased() + name.dropFirst(), member)
        }
        self.members = members.merging(short) { long, _ in long }
    }

    /// The value for a key; nil for a key that is not there.
    package func value(of root: Root, _ key: String) -> Any?? { members[key].map { $0.get(root) } }

    /// Sets the value for a key. Returns false for a key that is not there, and stops the program for a value that the
    /// property cannot have, as Apple raises.
    package func set(_ value: Any?, of root: Root, _ key: String) -> Bool {
        guard let member = members[key] else { return false }
        if !member.set(root, value) {
            misuse("\(type(of: root)) cannot set \(value.map { "\($0)" } ?? "nil") for the key \"\(key)\"")
        }
        return true
    }
}

extension KeyedMembers where Root: KeyValueCoding {
    /// As `set(_:of:_:)`; hands the value for a key that is not there to the object.
    package func setValue(_ value: Any?, forKey key: String, of root: Root) {
        if !set(value, of: root, key) { root.setValue(value, forUndefinedKey: key) }
    }
}

extension KeyValueCoding {
    /// The value that one of several tables has for a key, else that of a stored property.
    package func value(forKey key: String, among answers: Any??...) -> Any? {
        for case let answer? in answers { return answer }
        return (try? reflectedValue(of: self, key)) ?? value(forUndefinedKey: key)
    }
}
