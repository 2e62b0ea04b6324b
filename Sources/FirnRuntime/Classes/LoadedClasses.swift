import Foundation
internal import Synchronization

/// Finds classes by their names, bare or with a module, in everything that is loaded.
///
/// The Swift runtime enumerates the type metadata records of all images; testing libraries find their tests that way.
/// Each record leads to a context descriptor: https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.md
///
///     record ──rel32──▶ context descriptor   flags │ parent ──rel32──▶ module descriptor │ name ──rel32──▶ "Commit"
public enum LoadedClasses {
    private static let registered = Mutex<[String: AnyClass]>([:])

    /// Gives a class a bare name, by which it is found instead of what is loaded.
    public static func register(_ type: AnyClass, as name: String) { registered.withLock { $0[name] = type } }

    /// Classes with this name, whatever their module. If the name has a module, that module's class is the first.
    /// O(types of the program)
    public static func all(named name: String) -> [AnyClass] {
        let bare = name.split(separator: ".").last.map(String.init) ?? ""
        if let type = registered.withLock({ $0[bare] }) { return [type] }
        let collector = Collector(bare)
        swift_enumerateAllMetadataSections(
            { sections, context in
                let collector = Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
                collector.scan(sections.assumingMemoryBound(to: MetadataSections.self).pointee)
                return true
            }, Unmanaged.passUnretained(collector).toOpaque())
        let names = collector.modules.map { "\($0).\(bare)" }
        return (names.filter { $0 == name } + names.filter { $0 != name }).compactMap { NSClassFromString($0) }
    }

    /// `swift::MetadataSections` of the runtime, version 4, up to the type metadata records.
    private struct MetadataSections {
        let version: UInt
        let baseAddress: UnsafeRawPointer?
        let unused0: UnsafeRawPointer?
        let unused1: UnsafeRawPointer?
        let protocols: Range
        let protocolConformances: Range
        let typeMetadata: Range

        struct Range {
            let start: UnsafeRawPointer?
            let length: UInt
        }
    }

    private final class Collector {
        let name: String
        var modules: [String] = []
        private static let kindMask: UInt32 = 0x1F
        private static let classKind: UInt32 = 16
        private static let moduleKind: UInt32 = 0

        init(_ name: String) { self.name = name }

        func scan(_ sections: MetadataSections) {
            guard let start = sections.typeMetadata.start else { return }
            for offset in stride(from: 0, to: Int(sections.typeMetadata.length) & ~3, by: 4) {
                let field = start + offset
                let relative = field.loadUnaligned(as: Int32.self)
                // The low two bits say how the record refers to the descriptor: 0 directly, 1 through a pointer.
                guard relative & ~3 != 0 else { continue }
                let target = field + Int(relative & ~3)
                switch relative & 3 {
                case 0: inspect(target)
                case 1:
                    if let descriptor = target.loadUnaligned(as: UnsafeRawPointer?.self) { inspect(descriptor) }
                default: continue
                }
            }
        }

        private func inspect(_ descriptor: UnsafeRawPointer) {
            guard descriptor.loadUnaligned(as: UInt32.self) & Self.kindMask == Self.classKind,
                string(at: descriptor + 8) == name,
                let parent = parent(of: descriptor),
                parent.loadUnaligned(as: UInt32.self) & Self.kindMask == Self.moduleKind,
                let module = string(at: parent + 8)
            else { return }
            modules.append(module)
        }

        private func string(at field: UnsafeRawPointer) -> String? {
            let relative = field.loadUnaligned(as: Int32.self)
            guard relative != 0 else { return nil }
            return String(cString: (field + Int(relative)).assumingMemoryBound(to: CChar.self))
        }

        /// The parent is referred to directly, or, with the low bit set, through a pointer.
        private func parent(of descriptor: UnsafeRawPointer) -> UnsafeRawPointer? {
            let field = descriptor + 4
            let relative = field.loadUnaligned(as: Int32.self)
            guard relative & ~1 != 0 else { return nil }
            let target = field + Int(relative & ~1)
            return relative & 1 == 0 ? target : target.loadUnaligned(as: UnsafeRawPointer?.self)
        }
    }
}

@_silgen_name("swift_enumerateAllMetadataSections")
private func swift_enumerateAllMetadataSections(
    _ body: @convention(c) (_ sections: UnsafeRawPointer, _ context: UnsafeMutableRawPointer) -> CBool,
    _ context: UnsafeMutableRawPointer)
