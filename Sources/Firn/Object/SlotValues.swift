import FirnModel
import FirnRuntime
import Foundation

/// An object's own values for its slots: nothing, or a value for each of them. In memory as `SlotPlaces` says, so that
/// a number takes nine bytes.
///
/// The owner of the values keeps the layout whose places they lie in.
struct SlotValues: ~Copyable {
    private var memory: UnsafeMutableRawPointer?

    /// Nothing.
    init() { memory = nil }

    /// A value for each slot, all of them unset. O(slots)
    init(unset places: SlotPlaces) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: places.byteCount, alignment: MemoryLayout<Int64>.size)
        memory.storeBytes(of: places, as: SlotPlaces.self)
        (memory + places.kinds).initializeMemory(as: UInt64.self, repeating: 0, count: places.kindWords)
        self.memory = memory
    }

    /// Copies values that are all plain. O(slots)
    init(copyingPlain other: borrowing SlotValues) {
        guard let source = other.memory else {
            memory = nil
            return
        }
        let count = Self.places(source).byteCount
        let copy = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: MemoryLayout<Int64>.size)
        copy.copyMemory(from: source, byteCount: count)
        memory = copy
    }

    deinit { if let memory { Self.end(memory) } }

    var isEmpty: Bool { memory == nil }

    /// O(1)
    var count: Int { memory.map { Self.places($0).slotCount } ?? 0 }

    mutating func removeAll() {
        guard let memory else { return }
        self.memory = nil
        Self.end(memory)
    }

    /// Whether none of the values refers to anything. O(slots)
    var isPlain: Bool {
        guard let memory else { return true }
        return Self.isPlain(memory)
    }

    subscript(slot: Int) -> SlotValue {
        get {
            let memory = existing(slot)
            let place = memory + Self.places(memory).offset(of: slot)
            switch Self.kind(memory, slot) {
            case .unset: return .unset
            case .null: return .null
            case .integer: return .integer(place.load(as: Int64.self))
            case .real: return .real(place.load(as: Double.self))
            case .text: return .text(place.assumingMemoryBound(to: String.self).pointee)
            case .blob: return .blob(place.assumingMemoryBound(to: Data.self).pointee)
            case .boxed: return .boxed(place.assumingMemoryBound(to: SlotValue.Box.self).pointee)
            case .toOne: return .toOne(place.assumingMemoryBound(to: NSManagedObject.self).pointee)
            case .toMany: return .toMany(place.assumingMemoryBound(to: Members.self).pointee)
            }
        }
        set { set(newValue, slot) }
    }

    @inline(__always)
    mutating func set(_ value: SlotValue, _ slot: Int) {
        let memory = existing(slot)
        let place = memory + Self.places(memory).offset(of: slot)
        // The old value may be the last reference to what looks at these values as it goes.
        let old = Self.kind(memory, slot).isPlain ? nil : moveOut(slot)
        defer { withExtendedLifetime(old) {} }
        switch value {
        case .unset: Self.setKind(memory, slot, .unset)
        case .null: Self.setKind(memory, slot, .null)
        case .integer(let value):
            place.storeBytes(of: value, as: Int64.self)
            Self.setKind(memory, slot, .integer)
        case .real(let value):
            place.storeBytes(of: value, as: Double.self)
            Self.setKind(memory, slot, .real)
        default: Self.setReferring(memory, slot, value)
        }
    }

    /// A value that refers to something. A text or bytes are only in slots of an attribute of that type.
    @inline(never)
    private static func setReferring(_ memory: UnsafeMutableRawPointer, _ slot: Int, _ value: SlotValue) {
        let place = memory + places(memory).offset(of: slot)
        switch value {
        case .unset, .null, .integer, .real: fatalError("a number refers to nothing")
        case .text(let text):
            guard hasTwoWords(memory, slot) else {
                fatalError("a text in a slot of one word")
            }
            place.initializeMemory(as: String.self, to: text)
            setKind(memory, slot, .text)
        case .blob(let bytes):
            guard hasTwoWords(memory, slot) else {
                fatalError("bytes in a slot of one word")
            }
            place.initializeMemory(as: Data.self, to: bytes)
            setKind(memory, slot, .blob)
        case .boxed(let box):
            place.initializeMemory(as: SlotValue.Box.self, to: box)
            setKind(memory, slot, .boxed)
        case .toOne(let object):
            place.initializeMemory(as: NSManagedObject.self, to: object)
            setKind(memory, slot, .toOne)
        case .toMany(let members):
            place.initializeMemory(as: Members.self, to: members)
            setKind(memory, slot, .toMany)
        }
    }

    /// The value, which is no longer in its place.
    @inline(never)
    private mutating func moveOut(_ slot: Int) -> SlotValue {
        let value = self[slot]
        if let memory {
            Self.endValue(memory, slot)
            Self.setKind(memory, slot, .unset)
        }
        return value
    }

    /// The whole number of a slot, if it has one. Of no values too.
    @inline(__always)
    func integer(_ slot: Int) -> Int64? {
        guard let memory, Self.kind(memory, slot) == .integer else { return nil }
        return memory.load(fromByteOffset: Self.places(memory).offset(of: slot), as: Int64.self)
    }

    /// The real number of a slot, if it has one. Of no values too.
    @inline(__always)
    func real(_ slot: Int) -> Double? {
        guard let memory, Self.kind(memory, slot) == .real else { return nil }
        return memory.load(fromByteOffset: Self.places(memory).offset(of: slot), as: Double.self)
    }

    /// Whether a slot is as in the object's snapshot. Of no values: all are.
    @inline(__always)
    func isUnset(_ slot: Int) -> Bool {
        guard let memory else { return true }
        return Self.kind(memory, slot) == .unset
    }

    /// Whether a slot has a value here, and not null.
    @inline(__always)
    func isThere(_ slot: Int) -> Bool {
        guard let memory else { return false }
        return Self.kind(memory, slot).rawValue > SlotKind.null.rawValue
    }

    /// Whether all of the slots have a value here, and not null. O(slots)
    func areThere(_ slots: [Int]) -> Bool {
        guard let memory else { return slots.isEmpty }
        return slots.allSatisfy { Self.kind(memory, $0).rawValue > SlotKind.null.rawValue }
    }

    // MARK: Memory

    /// The cases of `SlotValue`: first those that refer to nothing.
    private enum SlotKind: UInt8 {
        case unset, null, integer, real
        case text, blob, boxed, toOne, toMany

        var isPlain: Bool { rawValue <= SlotKind.real.rawValue }
    }

    @inline(__always)
    private static func places(_ memory: UnsafeMutableRawPointer) -> SlotPlaces { memory.load(as: SlotPlaces.self) }

    @inline(__always)
    private func existing(_ slot: Int) -> UnsafeMutableRawPointer {
        guard let memory, slot >= 0, slot < Self.places(memory).slotCount else {
            fatalError("there is no value \(slot) of \(count)")
        }
        return memory
    }

    @inline(__always)
    private static func kind(_ memory: UnsafeMutableRawPointer, _ slot: Int) -> SlotKind {
        memory.load(fromByteOffset: places(memory).kinds + slot, as: SlotKind.self)
    }

    @inline(__always)
    private static func setKind(_ memory: UnsafeMutableRawPointer, _ slot: Int, _ kind: SlotKind) {
        memory.storeBytes(of: kind, toByteOffset: places(memory).kinds + slot, as: SlotKind.self)
    }

    private static func hasTwoWords(_ memory: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        let places = places(memory)
        let end = slot + 1 < places.slotCount ? places.offset(of: slot + 1) : places.kinds
        return end - places.offset(of: slot) == 2 * MemoryLayout<Int64>.size
    }

    private static func endValue(_ memory: UnsafeMutableRawPointer, _ slot: Int) {
        let place = memory + places(memory).offset(of: slot)
        switch kind(memory, slot) {
        case .unset, .null, .integer, .real: break
        case .text: place.assumingMemoryBound(to: String.self).deinitialize(count: 1)
        case .blob: place.assumingMemoryBound(to: Data.self).deinitialize(count: 1)
        case .boxed: place.assumingMemoryBound(to: SlotValue.Box.self).deinitialize(count: 1)
        case .toOne, .toMany: ReleaseQueue.release(place.assumingMemoryBound(to: AnyObject.self))
        }
    }

    private static func end(_ memory: UnsafeMutableRawPointer) {
        if !isPlain(memory) {
            for slot in 0..<places(memory).slotCount { endValue(memory, slot) }
        }
        memory.deallocate()
    }

    /// Eight kinds at once: those of plain values have but their two lowest bits.
    private static func isPlain(_ memory: UnsafeMutableRawPointer) -> Bool {
        let places = places(memory)
        let kinds = (memory + places.kinds).assumingMemoryBound(to: UInt64.self)
        return (0..<places.kindWords).allSatisfy { kinds[$0] & 0xFCFC_FCFC_FCFC_FCFC == 0 }
    }
}

/// Here, so that they cost no call.
extension SlotPlaces {
    @inline(__always) fileprivate var slotCount: Int { Int(numbers[0]) }
    @inline(__always) fileprivate var kinds: Int { Int(numbers[1]) }
    @inline(__always) fileprivate func offset(of slot: Int) -> Int { Int(numbers[slot + 2]) }
    /// The kinds fill whole words.
    @inline(__always) fileprivate var kindWords: Int { (slotCount + 7) / 8 }
    @inline(__always) fileprivate var byteCount: Int { kinds + 8 * kindWords }
}
