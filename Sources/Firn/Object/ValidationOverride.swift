import Foundation

/// Whether a class overrides `validateValue(_:forKey:)`. For one that does not, a save checks values in the form in
/// which they are held, and makes no object of each.
///
/// A class's table of methods stands behind its metadata; subclasses keep their superclass's order. The method's
/// place is where a class that overrides it, and nothing else, differs from one that overrides nothing.
/// https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst
enum ValidationOverride {
    private class Plain: NSManagedObject {}

    private final class Overriding: NSManagedObject {
        override func validateValue(
            _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
        ) throws {
            try super.validateValue(value, forKey: key)
        }
    }

    /// True also where the method's place could not be found.
    @inline(__always)
    static func exists(in type: NSManagedObject.Type) -> Bool {
        guard let place else { return true }
        return words(type)[place.index] != place.method
    }

    private struct Place: @unchecked Sendable {
        let index: Int
        let method: UInt
    }

    private static let place: Place? = {
        let base = words(NSManagedObject.self)
        let plain = words(Plain.self)
        let overriding = words(Overriding.self)
        guard let end = wordCount(NSManagedObject.self) else { return nil }
        let places = (firstMember..<end).filter { index in
            base[index] == plain[index] && base[index] != overriding[index]
        }
        guard let index = places.first, places.count == 1 else { return nil }
        return Place(index: index, method: base[index])
    }()

    private static func words(_ type: NSManagedObject.Type) -> UnsafePointer<UInt> {
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
    private static func wordCount(_ type: NSManagedObject.Type) -> Int? {
        let sizes = UnsafeRawPointer(words(type)) + headWords * 8
        let size = Int(sizes.load(fromByteOffset: 16, as: UInt32.self))
        let address = Int(sizes.load(fromByteOffset: 20, as: UInt32.self))
        let count = (size - address) / MemoryLayout<UInt>.size
        return (firstMember...4096).contains(count) ? count : nil
    }
}
