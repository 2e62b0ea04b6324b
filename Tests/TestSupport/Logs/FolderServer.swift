package import FirnLog
import Foundation
package import Synchronization

/// A server of shared logs for tests: a folder, and what can go wrong on the way to it.
package final class FolderServer: SharedLogKind, Sendable {
    package enum Fault: Sendable {
        /// Nobody answers.
        case away
        /// The next append is made, and its answer is lost.
        case losesAnswer
        /// The next append is lost on its way.
        case losesRequest
        /// Every append is said to have been overtaken, and none was.
        case refuses
    }

    /// A client that appends more often than this goes round in a loop.
    private static let runsMax = 10_000

    private let directory: TemporaryDirectory
    private let scheme = "folder-" + UUID().uuidString.lowercased()
    private let fault = Mutex<Fault?>(nil)
    /// Called before a piece of a baseline is given.
    package let onBaseline = Mutex<(@Sendable () throws -> Void)?>(nil)
    /// Called on the way to an append, and with true on the way back, on the thread that appends.
    package let onAppend = Mutex<(@Sendable (_ isMade: Bool) -> Void)?>(nil)
    /// How many records each append had that came here.
    package let runs = Mutex<[Int]>([])
    /// What the server has from now on instead of its log, as after it was set back to a backup.
    package let replacement = Mutex<SegmentLog?>(nil)
    /// Whether followers hear of what is appended.
    package let isFollowed: Bool
    package let pause: Int64 = 0
    package let watchesServer = false

    package init(isFollowed: Bool = true) throws {
        directory = try TemporaryDirectory("firn-server")
        self.isFollowed = isFollowed
        SharedLogs.register(self, for: scheme)
    }

    /// Where the server's log is. It never lives on a machine that is a client.
    package var address: String { "\(scheme)://server/database#Notes" }

    package func set(_ fault: Fault?) { self.fault.withLock { $0 = fault } }

    /// The log itself, beside all machines.
    package func log() throws -> SegmentLog { try SegmentLog.open(directory: folder, forWriting: true) }

    private var folder: String { directory.path + "log" }

    /// Removes what the server has. It stays known for as long as the program runs, and its folder with it.
    package func remove() { try? FileManager.default.removeItem(at: directory.url) }

    package func destroy(_ address: String) throws {
        try check()
        try FileManager.default.removeItem(atPath: folder)
    }

    package func place(of address: String) -> String? { address == self.address ? address : nil }

    package func open(_ address: String, expecting: StoreID?) throws -> any ChangeLog {
        try check()
        guard try SegmentLog.exists(directory: folder) else {
            throw LogError(.missing, "There is no log.", path: address)
        }
        let log = try log()
        guard expecting == nil || expecting == log.storeID else {
            throw LogError(.storeMismatch, "This is the log of another store.", path: address)
        }
        return FolderServerLog(self, log)
    }

    package func create(_ address: String, storeID: StoreID) throws -> any ChangeLog {
        try check()
        return FolderServerLog(
            self, try SegmentLog.create(directory: folder, storeID: storeID, date: LogSamples.date))
    }

    /// Throws while the server is away.
    fileprivate func check() throws {
        if case .away = fault.withLock({ $0 }) {
            throw LogError(.unreachable, "Nobody is there.", path: address)
        }
    }

    fileprivate func append(_ run: FrameRun, to log: SegmentLog) throws -> AppendOutcome {
        let fault = self.fault.withLock { fault in
            defer { if case .losesAnswer = fault { fault = nil } else if case .losesRequest = fault { fault = nil } }
            return fault
        }
        guard runs.withLock({ $0.count }) < Self.runsMax else {
            throw LogError(.damaged, "The client goes round in a loop.", path: address)
        }
        let onAppend = self.onAppend.withLock { $0 }
        onAppend?(false)
        defer { onAppend?(true) }
        switch fault {
        case nil, .away:
            runs.withLock { $0.append(run.frames.count) }
            return try log.append(run)
        case .refuses:
            runs.withLock { $0.append(run.frames.count) }
            return .conflict(try log.end())
        case .losesAnswer: _ = try log.append(run)
        case .losesRequest: break
        }
        throw LogError(.outcomeUnknown, "Nobody answered.", path: address)
    }
}

/// The log as a client of the server sees it.
private final class FolderServerLog: ChangeLog {
    private let server: FolderServer
    private let log: SegmentLog

    init(_ server: FolderServer, _ log: SegmentLog) {
        self.server = server
        self.log = log
    }

    var storeID: StoreID { log.storeID }
    var place: String { server.address }

    private func asked<R>(_ body: (SegmentLog) throws -> R) throws -> R {
        try server.check()
        return try body(server.replacement.withLock { $0 } ?? log)
    }

    func acknowledgement() throws -> Acknowledgement { try asked { $0.acknowledgement() } }
    func end() throws -> LogCheckpoint { try asked { try $0.end() } }
    func beginning() throws -> LogCheckpoint { try asked { try $0.beginning() } }
    func append(_ run: FrameRun) throws -> AppendOutcome { try asked { try server.append(run, to: $0) } }
    func frames(after place: LogCheckpoint, sizeMax: Int) throws -> FrameRun {
        try asked { try $0.frames(after: place, sizeMax: sizeMax) }
    }
    func watch() throws -> any LogWatch {
        try asked { log in server.isFollowed ? try log.watch() : DeafWatch() }
    }
    func trim(
        through last: SequenceNumber, knowing known: SequenceNumber,
        state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws { try asked { try $0.trim(through: last, knowing: known, state: state) } }
    func baseline(of last: SequenceNumber, from offset: Int64, sizeMax: Int) throws -> [UInt8] {
        try asked { log in
            try server.onBaseline.withLock { $0 }?()
            return try log.baseline(of: last, from: offset, sizeMax: sizeMax)
        }
    }
    var hasExternalValues: Bool { get throws { try asked { try $0.hasExternalValues } } }
    func externalReferences() throws -> [ExternalReference] { try asked { try $0.externalReferences() } }
    func holds(_ reference: ExternalReference) throws -> Bool { try asked { $0.holds(reference) } }
    func externalValue(_ reference: ExternalReference, from offset: Int64, sizeMax: Int) throws -> [UInt8] {
        try asked { try $0.externalValue(reference, from: offset, sizeMax: sizeMax) }
    }
    func store(_ reference: ExternalReference, piece: (_ offset: Int64) throws -> [UInt8]) throws {
        try asked { try $0.store(reference, piece: piece) }
    }
    func remove(_ references: [ExternalReference], endingAt end: LogCheckpoint) throws -> Bool {
        try asked { try $0.remove(references, endingAt: end) }
    }
    func erase(_ erasure: Erasure, header: TransactionHeader, lookingIn copy: SegmentLog) throws -> Int {
        try asked { log in
            // As on a server, nobody appends in between.
            guard try log.end() == copy.end() else { throw LogError(.overtaken, "There is more.", path: place) }
            return try log.erase(erasure, header: header, lookingIn: copy)
        }
    }
    func attachment() throws -> [UInt8]? { try asked { try $0.attachment() } }
    func store(attachment bytes: [UInt8]) throws { try asked { try $0.store(attachment: bytes) } }
    func close() { log.close() }
}

/// Hears of nothing until it is cancelled.
private final class DeafWatch: LogWatch {
    private let cancelled = DispatchSemaphore(value: 0)

    func wait(until isNews: (SequenceNumber) -> Bool) -> Bool {
        cancelled.wait()
        cancelled.signal()
        return false
    }

    func cancel() { cancelled.signal() }
}
