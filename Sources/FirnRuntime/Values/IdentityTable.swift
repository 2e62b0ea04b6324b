public import Synchronization

/// What is known of objects and types that are there for as long as the program runs, found without a lock by threads
/// that look up the same few again and again: key path literals, classes.
///
/// The table keeps the values for ever: so no thread counts references to what all threads read. Past a few thousand it
/// remembers no more; what makes objects again and again would otherwise fill it.
///
///     word 0   how many places there are less one, as a mask
///     then     of each place, the object's address, 0 while the place is free, and the value's
public final class IdentityTable<Value: AnyObject>: Sendable {
    @usableFromInline typealias Word = Atomic<UInt>

    private static var mostObjects: Int { 4096 }

    @usableFromInline let table: Atomic<UInt>
    /// How many objects there are; held while one is added.
    private let count = Mutex(0)

    public init() { table = Atomic(Self.allocated(places: 16)) }

    /// The value of an object or a type. O(1)
    @inlinable
    public func value(for id: ObjectIdentifier) -> Value? {
        let key = UInt(bitPattern: id)
        let words = Self.words(table.load(ordering: .acquiring))
        let mask = words[0].load(ordering: .relaxed)
        var place = Self.hash(key) & mask
        while true {
            let found = words[Int(1 + 2 * place)].load(ordering: .acquiring)
            if found == key { return Self.object(words[Int(2 + 2 * place)].load(ordering: .relaxed)) }
            if found == 0 { return nil }
            place = (place + 1) & mask
        }
    }

    /// Remembers a value for a type. O(1), but where the table grows.
    public func insert(_ value: Value, for type: Any.Type) { insert(value, ObjectIdentifier(type), keeping: nil) }

    /// Remembers a value for an object, which it keeps. O(1), but where the table grows.
    public func insert(_ value: Value, for object: AnyObject) {
        insert(value, ObjectIdentifier(object), keeping: object)
    }

    private func insert(_ value: Value, _ id: ObjectIdentifier, keeping object: AnyObject?) {
        count.withLock { count in
            guard count < Self.mostObjects, self.value(for: id) == nil else { return }
            let old = Self.words(table.load(ordering: .relaxed))
            let places = Int(old[0].load(ordering: .relaxed)) + 1
            if count * 2 >= places {
                let grown = Self.allocated(places: places * 2)
                for place in 0..<places {
                    let key = old[1 + 2 * place].load(ordering: .relaxed)
                    if key != 0 { Self.put(key, old[2 + 2 * place].load(ordering: .relaxed), Self.words(grown)) }
                }
                // Readers may be in the old one: it stays. All old ones together are no larger than the new one.
                table.store(grown, ordering: .releasing)
            }
            if let object { _ = Unmanaged.passRetained(object) }
            let word = UInt(bitPattern: Unmanaged.passRetained(value).toOpaque())
            Self.put(UInt(bitPattern: id), word, Self.words(table.load(ordering: .relaxed)))
            count += 1
        }
    }

    /// The key goes last: who finds it finds its value.
    private static func put(_ key: UInt, _ value: UInt, _ words: UnsafeMutablePointer<Word>) {
        let mask = words[0].load(ordering: .relaxed)
        var place = hash(key) & mask
        while words[Int(1 + 2 * place)].load(ordering: .relaxed) != 0 { place = (place + 1) & mask }
        words[Int(2 + 2 * place)].store(value, ordering: .relaxed)
        words[Int(1 + 2 * place)].store(key, ordering: .releasing)
    }

    /// Objects lie at multiples of 16 bytes.
    @inlinable
    static func hash(_ key: UInt) -> UInt { (key >> 4) &* 0x9E37_79B9_7F4A_7C15 >> 32 }

    private static func allocated(places: Int) -> UInt {
        let words = UnsafeMutablePointer<Word>.allocate(capacity: 1 + 2 * places)
        for index in 0..<(1 + 2 * places) { (words + index).initialize(to: Word(index == 0 ? UInt(places - 1) : 0)) }
        return UInt(bitPattern: words)
    }

    @inlinable
    static func words(_ word: UInt) -> UnsafeMutablePointer<Word> {
        // Only addresses that `allocated` gave are stored.
        UnsafeMutablePointer(bitPattern: word).unsafelyUnwrapped
    }

    @inlinable
    static func object(_ word: UInt) -> Value? {
        UnsafeRawPointer(bitPattern: word).map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() }
    }
}
