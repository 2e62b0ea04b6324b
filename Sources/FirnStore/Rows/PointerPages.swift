package import FirnLog
package import FirnRuntime

/// `KeyPages` of addresses, for the module above. A generic type is not specialized for another module's entries: each
/// use would take 1,500 instructions more, for the metadata of its types. Not inlined: the other module would call the
/// generic code again. Not copyable: to read one of a class, the other module would copy it first.
package struct PointerPages: ~Copyable {
    package typealias Entry = ObjectAddress

    private var pages = KeyPages<Entry>()

    package init() {}

    package var count: Int { pages.count }

    /// In no order.
    package var entries: [Entry] {
        @inline(never) get { pages.entries }
    }

    /// The entry of this key. O(1).
    @inline(never)
    package mutating func entry(for key: ObjectKey) -> Entry? { pages.entry(for: key) }

    /// Gives the key an entry, and returns the one that it had. O(1).
    @inline(never)
    package mutating func update(_ entry: Entry, for key: ObjectKey) -> Entry? { pages.update(entry, for: key) }

    /// Removes the key's entry, and returns it. O(1).
    @inline(never)
    package mutating func remove(_ key: ObjectKey) -> Entry? { pages.remove(key) }

    /// Removes the entries for which `isGone` says so. O(entries).
    @inline(never)
    package mutating func removeAll(where isGone: (Entry) -> Bool) { pages.removeAll(where: isGone) }
}
