/// Where a method stands in the tables of methods of a class and its subclasses, to ask which subclass overrides it.
///
/// A class's table stands behind its metadata; subclasses keep their superclass's order. The method's place is where a
/// subclass that overrides it, and nothing else, differs from one that overrides nothing.
/// https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst
public struct MethodPlace: Sendable {
    private let index: Int
    private let method: UInt

    /// nil if the place could not be found.
    ///
    /// - Parameters:
    ///   - plain: a subclass of `base` that overrides nothing.
    ///   - overriding: a subclass of `base` that overrides only the method.
    public init?(in base: AnyClass, plain: AnyClass, overriding: AnyClass) {
        let (words, plain, overriding) = (Self.words(base), Self.words(plain), Self.words(overriding))
        guard let end = Self.wordCount(base) else { return nil }
        let places = (Self.firstMember..<end).filter { words[$0] == plain[$0] && words[$0] != overriding[$0] }
        guard let index = places.first, places.count == 1 else { return nil }
        (self.index, method) = (index, words[index])
    }

    /// Whether a subclass of the base has another method in the place. O(1)
    public func isOverridden(in type: AnyClass) -> Bool { Self.words(type)[index] != method }

    private static func words(_ type: AnyClass) -> UnsafePointer<UInt> {
        unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    }

    #if canImport(ObjectiveC)
        private static let headWords = 5
    #else
        private static let headWords = 2
    #endif
    /// After the head come flags and sizes (24 bytes), the descriptor, and the destroyer of instance variables.
    private static let firstMember = headWords + 5

    /// How many words of the metadata follow its address, by its own account.
    private static func wordCount(_ type: AnyClass) -> Int? {
        let sizes = UnsafeRawPointer(words(type)) + headWords * 8
        let size = Int(sizes.load(fromByteOffset: 16, as: UInt32.self))
        let address = Int(sizes.load(fromByteOffset: 20, as: UInt32.self))
        let count = (size - address) / MemoryLayout<UInt>.size
        return (firstMember...4096).contains(count) ? count : nil
    }
}
