/// Why an object's values were replaced.
/// https://developer.apple.com/documentation/coredata/nssnapshoteventtype
public struct NSSnapshotEventType: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static var undoInsertion: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 1) }
    public static var undoDeletion: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 2) }
    public static var undoUpdate: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 3) }
    public static var rollback: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 4) }
    public static var refresh: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 5) }
    public static var mergePolicy: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 6) }
}
