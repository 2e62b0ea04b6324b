import FirnInspection
import FirnLog
import FirnPostgres
import FirnStore
import Foundation

/// Where a log is, as a person names it: a store's path, or an address on a server.
enum LogLocation {
    case store(path: String)
    case server(PostgresAddress)

    init(_ text: String) {
        if let address = PostgresAddress(text) {
            self = .server(address)
        } else {
            self = .store(path: StoreOptions.path(ofStore: text))
        }
    }

    /// The place without passwords.
    var name: String {
        switch self {
        case .store(let path): path
        case .server(let address): address.description
        }
    }

    /// Whether both name the same store or address; links are followed.
    func isSame(as other: LogLocation) -> Bool {
        switch (self, other) {
        case (.store(let one), .store(let two)): Self.resolved(one) == Self.resolved(two)
        case (.server(let one), .server(let two)): one == two
        default: false
        }
    }

    private static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: directory(path)).resolvingSymlinksInPath().standardizedFileURL.path
    }

    var isServer: Bool { if case .server = self { true } else { false } }

    private static func directory(_ path: String) -> String { path + "-log" }

    /// The log, to be read. Nothing is changed. Throws if it has lost records that the store's tables hold: what is
    /// copied from it would look whole.
    func open() throws -> any ChangeLog {
        switch self {
        case .store(let path):
            var options = StoreOptions()
            options.store = path
            return try options.openLog(.refuse)
        case .server(let address): return try PostgresLog.open(at: address, forWriting: false)
        }
    }

    /// The log, to be appended to; it is made if there is none. It must be of the same store as `source`.
    func openOrCreate(continuing source: any ChangeLog) throws -> any ChangeLog {
        let log: any ChangeLog
        switch self {
        case .store(let path):
            guard !path.isEmpty else { throw Failure("a store's name is empty; name a file or an address") }
            let directory = Self.directory(path)
            if try SegmentLog.exists(directory: directory) {
                log = try SegmentLog.open(directory: directory, forWriting: true)
            } else {
                guard !FileManager.default.fileExists(atPath: path) || StoreFiles.isEmptyFile(path) else {
                    throw Failure("\(path): there is a file or folder without a log already; name another store")
                }
                // A log without a file is that of a deleted store.
                try StoreFiles(URL(fileURLWithPath: path)).reserve()
                log = try SegmentLog.create(
                    directory: directory, continuing: source,
                    date: Int64(Date().timeIntervalSince1970 * 1_000_000))
            }
        case .server(let address):
            do {
                log = try PostgresLog.open(at: address, expecting: source.storeID)
            } catch let error as LogError where error.code == .missing {
                log = try PostgresLog.create(at: address, storeID: source.storeID, continuing: source)
            }
        }
        guard log.storeID == source.storeID else {
            throw Failure(
                "\(name): this is another store (\(log.storeID)) than \(source.place) (\(source.storeID)); "
                    + "nothing was written")
        }
        return log
    }
}
