#if SwiftData
public import FirnStore
public import Foundation

/// The models of a store, and its place.
///
/// https://developer.apple.com/documentation/swiftdata/modelconfiguration
public struct ModelConfiguration: DataStoreConfiguration, Identifiable, Hashable, Sendable,
    CustomDebugStringConvertible
{
    /// The type of the configuration's identifier.
    public typealias ID = URL
    /// The class of the stores of this module.
    public typealias Store = DefaultStore

    /// Where the store is.
    public let url: URL
    /// The configuration's name, and the file's if none is given.
    public let name: String
    /// The application group whose folder has the store. Of no effect here.
    public let groupAppContainerIdentifier: String?
    /// The application group. Of no effect here.
    public let groupContainer: GroupContainer
    /// The container of CloudKit that has the private database. Of no effect here.
    public let cloudKitContainerIdentifier: String?
    /// The database of CloudKit. Of no effect here.
    public let cloudKitDatabase: CloudKitDatabase
    /// The models of the store; nil for all of the container.
    public var schema: Schema?
    /// Whether the store may be changed.
    public let allowsSave: Bool
    /// Whether the store is gone with the container.
    public let isStoredInMemoryOnly: Bool
    /// The action when the store's file was deleted and its log is still there. Ours, not Apple's.
    public var missingTables = MissingTables.startFresh
    /// The way to open a store's file that was moved or copied without its log. Ours, not Apple's.
    public var missingLog = MissingLog.adopt
    /// When the tables of the store's history are made. Ours, not Apple's.
    public var historyTables = HistoryTables.onUse

    /// The store of all models, in the folder for applications' data or in memory.
    public init(isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// The store of these models and of those that they are related to.
    public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// A store in the folder for applications' data, or in memory.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
        groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.name = name ?? "default"
        self.schema = schema
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        self.allowsSave = allowsSave
        self.groupContainer = groupContainer
        groupAppContainerIdentifier = groupContainer.identifier
        self.cloudKitDatabase = cloudKitDatabase
        cloudKitContainerIdentifier = cloudKitDatabase.identifier
        url = isStoredInMemoryOnly
            ? URL(fileURLWithPath: "/dev/null")
            : Self.folder.appendingPathComponent(self.name + ".store", isDirectory: false)
    }

    /// A store at a place of one's own.
    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
        cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.name = name ?? url.deletingPathExtension().lastPathComponent
        self.schema = schema
        self.url = url
        self.allowsSave = allowsSave
        self.cloudKitDatabase = cloudKitDatabase
        cloudKitContainerIdentifier = cloudKitDatabase.identifier
        groupContainer = .none
        groupAppContainerIdentifier = nil
        isStoredInMemoryOnly = url.path == "/dev/null"
    }

    /// `XDG_DATA_HOME`, or what stands for it.
    private static var folder: URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(".local/share", isDirectory: true)
    }

    public var id: URL { url }

    /// Throws if the configuration's name cannot be that of a file.
    public func validate() throws {
        if isStoredInMemoryOnly { return }
        let file = url.lastPathComponent
        if file.utf8.count > 255 { throw SwiftDataError.configurationFileNameTooLong.because(file) }
        if name.contains("/") || name.contains("\0") {
            throw SwiftDataError.configurationFileNameContainsInvalidCharacters.because(name)
        }
    }

    public static func == (lhs: ModelConfiguration, rhs: ModelConfiguration) -> Bool {
        lhs.url == rhs.url && lhs.name == rhs.name && lhs.schema == rhs.schema
            && lhs.allowsSave == rhs.allowsSave && lhs.missingTables == rhs.missingTables
            && lhs.missingLog == rhs.missingLog && lhs.historyTables == rhs.historyTables
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(name)
    }

    public var debugDescription: String {
        "\(name) at \(url.path)" + (allowsSave ? "" : ", read-only")
    }
}

extension ModelConfiguration {
    /// A database of CloudKit: of no effect here.
    public struct CloudKitDatabase: Sendable {
        private enum Choice: Equatable {
            case automatic, none, container(String)
        }

        private let choice: Choice

        /// As the application's entitlements say.
        public static var automatic: CloudKitDatabase { CloudKitDatabase(choice: .automatic) }
        /// None.
        public static var none: CloudKitDatabase { CloudKitDatabase(choice: .none) }
        /// A private database.
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
            CloudKitDatabase(choice: .container(privateDBName))
        }

        var identifier: String? { if case .container(let name) = choice { name } else { nil } }
    }

    /// The folder of an application group: of no effect here.
    public struct GroupContainer: Sendable {
        private enum Choice: Equatable {
            case automatic, none, group(String)
        }

        private let choice: Choice

        /// As the application's entitlements say.
        public static var automatic: GroupContainer { GroupContainer(choice: .automatic) }
        /// None.
        public static var none: GroupContainer { GroupContainer(choice: .none) }
        /// The folder of a group.
        public static func identifier(_ groupName: String) -> GroupContainer {
            GroupContainer(choice: .group(groupName))
        }

        var identifier: String? { if case .group(let name) = choice { name } else { nil } }
    }
}

/// Public code compares the choices, though Apple's pages do not name the conformance.
extension ModelConfiguration.CloudKitDatabase: Equatable {}
extension ModelConfiguration.GroupContainer: Equatable {}
#endif
