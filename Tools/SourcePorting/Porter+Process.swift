import SwiftTokens

extension Porter {
    /// `Bundle.main.bundleIdentifier!`: a program on Linux has a name, and no identifier.
    mutating func portIdentifier(at place: Int) {
        guard source.isSign(".", at: place - 1), source.isWord("main", at: place - 2),
            source.isSign(".", at: place - 3), source.isWord("Bundle", at: place - 4),
            source.isSign("!", at: place + 1)
        else { return }
        report(.foundationCall, at: place, "Bundle.main.bundleIdentifier!")
        insert("(", before: source.tokens[place - 4].range, applied: .same)
        replace(
            source.tokens[place + 1].range, with: " ?? ProcessInfo.processInfo.processName)", applied: .same)
    }

    /// `Bundle(identifier: "org.example.Shop")`: the bundle of the target `Shop`, as its bundle has no identifier.
    mutating func portBundleIdentifier(at place: Int) {
        guard source.isSign("(", at: place + 1), source.isWord("identifier", at: place + 2),
            source.isSign(":", at: place + 3), !source.isSign(".", at: place - 1)
        else { return }
        report(.bundle, at: place, "Bundle(identifier:)")
        insert(".ported", after: source.tokens[place].range, applied: .omitted)
        support.insert(.bundleIdentifier)
    }

    /// `Bundle.main.url(forResource: "Shop", withExtension: "momd")`: an app's resources are those of the target here.
    mutating func portMainBundle(at place: Int) {
        guard index.modules.contains(PortIndex.bundle), source.isSign(".", at: place + 1),
            source.isWord("main", at: place + 2), source.isSign(".", at: place + 3),
            ["forResource", "forResourcesWithExtension"].contains(source.text(at: place + 6))
        else { return }
        report(.bundle, at: place, "Bundle.main")
        replace(source.tokens[place + 2].range, with: "module", applied: .omitted)
    }

    /// `FileManager.default.replaceItemAt(a, withItemAt: b)`: Foundation's throws here, and loses the old item.
    mutating func portReplacement(at place: Int) {
        guard source.isSign(".", at: place - 1), source.isSign("(", at: place + 1) else { return }
        report(.foundationCall, at: place, "replaceItemAt(_:withItemAt:)")
        replace(source.tokens[place].range, with: "portedReplaceItemAt")
        support.insert(.fileReplacement)
    }

    /// `ProcessInfo()` is an object of its own on Apple's systems, with the same values.
    mutating func portProcess(at place: Int) {
        guard source.isSign("(", at: place + 1), source.isSign(")", at: place + 2),
            !source.isSign(".", at: place - 1)
        else { return }
        report(.foundationCall, at: place, "ProcessInfo()")
        replace(source.range(of: (place + 1)...(place + 2)), with: ".processInfo", applied: .same)
    }
}

extension PortSupport {
    static let fileReplacementText = """
        extension FileManager {
            /// `replaceItemAt(_:withItemAt:backupItemName:options:)`, which retains the old item if it fails.
            @discardableResult
            func portedReplaceItemAt(
                _ original: URL, withItemAt new: URL, backupItemName: String? = nil,
                options: ItemReplacementOptions = []
            ) throws -> URL? {
                let name = backupItemName ?? ".\\(UUID().uuidString)"
                let backup = original.deletingLastPathComponent().appendingPathComponent(name)
                try? removeItem(at: backup)
                let hasBackup = fileExists(atPath: original.path)
                if hasBackup { try moveItem(at: original, to: backup) }
                do {
                    try moveItem(at: new, to: original)
                } catch {
                    if hasBackup { try moveItem(at: backup, to: original) }
                    throw error
                }
                let isKept = backupItemName != nil && options.contains(.withoutDeletingBackupItem)
                if !isKept { try? removeItem(at: backup) }
                return original
            }
        }

        """

    static let bundleIdentifierText = """
        extension Bundle {
            /// The bundle of an identifier, or of the target that the identifier's last part names.
            static func ported(identifier: String) -> Bundle? {
                if let bundle = Bundle(identifier: identifier) { return bundle }
                let target = identifier.split(separator: ".").last ?? ""
                let folder = Bundle.main.bundleURL
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
                return names.sorted().first { $0.hasSuffix("_\\(target).resources") }
                    .flatMap { Bundle(url: folder.appendingPathComponent($0)) }
            }
        }

        """

    /// `objc_sync_enter`: a recursive lock for each object, which is there while somebody holds it.
    static let objectLockText = """
        private final class PortedObjectLocks: @unchecked Sendable {
            static let shared = PortedObjectLocks()
            private let guarding = NSLock()
            private var locks: [ObjectIdentifier: (lock: NSRecursiveLock, users: Int)] = [:]

            func enter(_ object: AnyObject) {
                let lock = guarding.withLock {
                    let entry = locks[ObjectIdentifier(object)] ?? (NSRecursiveLock(), 0)
                    locks[ObjectIdentifier(object)] = (entry.lock, entry.users + 1)
                    return entry.lock
                }
                lock.lock()
            }

            func exit(_ object: AnyObject) -> Bool {
                let lock = guarding.withLock { () -> NSRecursiveLock? in
                    guard let entry = locks[ObjectIdentifier(object)] else { return nil }
                    locks[ObjectIdentifier(object)] = entry.users > 1 ? (entry.lock, entry.users - 1) : nil
                    return entry.lock
                }
                lock?.unlock()
                return lock != nil
            }
        }

        let OBJC_SYNC_SUCCESS: Int32 = 0, OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int32 = -1

        @discardableResult
        func objc_sync_enter(_ object: Any) -> Int32 {
            PortedObjectLocks.shared.enter(object as AnyObject)
            return OBJC_SYNC_SUCCESS
        }

        @discardableResult
        func objc_sync_exit(_ object: Any) -> Int32 {
            PortedObjectLocks.shared.exit(object as AnyObject) ? OBJC_SYNC_SUCCESS : OBJC_SYNC_NOT_OWNING_THREAD_ERROR
        }

        """
}
