public import Synchronization

/// A reference that threads set and read without a lock: to nothing, to a mark that stands for an object which is still
/// to be made, or to an object that it keeps alive.
@frozen
public struct AtomicReference<Object: AnyObject>: ~Copyable {
    @frozen
    public enum Content {
        case none, marked
        case object(UncountedReference<Object>)

        /// The mark is 1: no object is there.
        @inlinable
        @inline(__always)
        init(_ word: UInt) {
            switch word {
            case 0: self = .none
            case 1: self = .marked
            default:
                // Only addresses of objects that were retained are stored.
                self = .object(
                    UncountedReference(
                        Unmanaged<Object>.fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped)))
            }
        }

        @inlinable
        @inline(__always)
        var word: UInt {
            switch self {
            case .none: 0
            case .marked: 1
            case .object(let object): UInt(bitPattern: object.address.pointer)
            }
        }

        /// Ends the count of an object that was exchanged.
        @inlinable
        @inline(__always)
        public func release() {
            if case .object(let object) = self { object.release() }
        }
    }

    @usableFromInline let word: Atomic<UInt>

    /// Takes over one count of an object.
    @inlinable
    @inline(__always)
    public init(_ content: Content) { word = Atomic(content.word) }

    /// The present content: an object as long as nobody exchanges it.
    @inlinable
    @inline(__always)
    public var content: Content { Content(word.load(ordering: .acquiring)) }

    /// Whether it refers to nothing, not even the mark.
    @inlinable
    @inline(__always)
    public var isNone: Bool { word.load(ordering: .acquiring) == 0 }

    /// Takes over one count of the new object, and gives the one of the old.
    @inlinable
    @inline(__always)
    public func exchange(_ new: Content) -> Content {
        Content(word.exchange(new.word, ordering: .acquiringAndReleasing))
    }

    /// Takes over one count of `new` if what was there is still `expected`.
    @inlinable
    @inline(__always)
    public func replace(_ expected: Content, with new: Content) -> Bool {
        word.compareExchange(expected: expected.word, desired: new.word, ordering: .acquiringAndReleasing).exchanged
    }

    @inlinable
    deinit { content.release() }
}
