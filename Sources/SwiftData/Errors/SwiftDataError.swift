#if SwiftData
public import Foundation

/// An error of this module. Two errors are equal if they are of one kind.
///
/// https://developer.apple.com/documentation/swiftdata/swiftdataerror
public struct SwiftDataError: LocalizedError, Hashable, CustomStringConvertible {
    private let kind: String
    /// The sentence for the kind.
    private let sentence: String
    /// The message: what went wrong, and where. Ours, not Apple's.
    public private(set) var message = ""
    /// The error of the layer below. Ours, not Apple's.
    public private(set) var underlyingError: (any Error)?

    private init(_ kind: String, _ sentence: String) {
        self.kind = kind
        self.sentence = sentence
    }

    /// Batches show saved models only.
    public static let includePendingChangesWithBatchSize = SwiftDataError(
        "includePendingChangesWithBatchSize", "batches show saved models only")
    /// A predicate has a part that no store can answer.
    public static let unsupportedPredicate = SwiftDataError(
        "unsupportedPredicate", "a predicate has a part that no store can answer")
    /// A key path leads to no saved property.
    public static let unsupportedKeyPath = SwiftDataError(
        "unsupportedKeyPath", "a key path leads to no saved property")
    /// Identifiers are sorted by stores, which do not know unsaved models.
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
        "sortingPendingChangesWithIdentifiers", "identifiers are sorted by stores, which do not know unsaved models")
    /// A sort descriptor compares what no store knows.
    public static let unsupportedSortDescriptor = SwiftDataError(
        "unsupportedSortDescriptor", "a sort descriptor compares what no store knows")
    /// Two configurations of a container are of one store.
    public static let duplicateConfiguration = SwiftDataError(
        "duplicateConfiguration", "two configurations of a container are of one store")
    /// The name of a configuration makes the name of its file too long.
    public static let configurationFileNameTooLong = SwiftDataError(
        "configurationFileNameTooLong", "the name of a configuration makes the name of its file too long")
    /// The name of a configuration cannot be that of a file.
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
        "configurationFileNameContainsInvalidCharacters", "the name of a configuration cannot be that of a file")
    /// A configuration has a model that its container lacks.
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
        "configurationSchemaNotFoundInContainerSchema", "a configuration has a model that its container lacks")
    /// A container's store could not be opened.
    public static let loadIssueModelContainer = SwiftDataError(
        "loadIssueModelContainer", "a container's store could not be opened")
    /// A model cannot be saved as it is.
    public static let modelValidationFailure = SwiftDataError(
        "modelValidationFailure", "a model cannot be saved as it is")
    /// A model is in no context.
    public static let missingModelContext = SwiftDataError(
        "missingModelContext", "a model is in no context")
    /// The store is of a later version than the program.
    public static let backwardMigration = SwiftDataError(
        "backwardMigration", "the store is of a later version than the program")
    /// The store is of no version of the migration plan.
    public static let unknownSchema = SwiftDataError(
        "unknownSchema", "the store is of no version of the migration plan")
    /// The store of a data store is of no version of the migration plan.
    public static let unknownDataStoreSchema = SwiftDataError(
        "unknownDataStoreSchema", "the store of a data store is of no version of the migration plan")
    /// The history before the token was deleted.
    public static let historyTokenExpired = SwiftDataError(
        "historyTokenExpired", "the history before the token was deleted")
    /// A history was asked for in a form that its store does not have.
    public static let invalidTransactionFetchRequest = SwiftDataError(
        "invalidTransactionFetchRequest", "a history was asked for in a form that its store does not have")
    /// A context that saves by itself had changes when it was released, or when the process ended. Ours, not Apple's.
    public static let unsavedChanges = SwiftDataError(
        "unsavedChanges", "a context that saves by itself had changes when it was released, or when the process ended")

    /// Returns the error with a message that says what went wrong.
    func because(_ message: String, _ underlying: (any Error)? = nil) -> SwiftDataError {
        var error = self
        error.message = message
        error.underlyingError = underlying
        return error
    }

    public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool { lhs.kind == rhs.kind }
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    /// Whether an error is of the kind of a pattern, so that `catch SwiftDataError.unsupportedPredicate` works.
    public static func ~= (lhs: SwiftDataError, rhs: any Error) -> Bool { (rhs as? SwiftDataError) == lhs }

    public var description: String { "\(kind): \(message.isEmpty ? sentence : message)" }

    public var errorDescription: String? { description }
}

/// An answer of a data store in place of a result.
///
/// https://developer.apple.com/documentation/swiftdata/datastoreerror
public enum DataStoreError: LocalizedError, Equatable, Hashable {
    /// The store cannot do what it is asked.
    case unsupportedFeature
    /// The store cannot evaluate the predicate: it is asked without one, and the models are filtered in memory.
    case preferInMemoryFilter
    /// The store cannot sort: it is asked without an order, and the models are sorted in memory.
    case preferInMemorySort
    /// The predicate makes no sense to the store.
    case invalidPredicate

    public var errorDescription: String? {
        switch self {
        case .unsupportedFeature: "the data store cannot do what it is asked"
        case .preferInMemoryFilter: "the data store cannot evaluate the predicate; filter in memory"
        case .preferInMemorySort: "the data store cannot sort as it is asked; sort in memory"
        case .invalidPredicate: "the predicate makes no sense to the data store"
        }
    }
}
#endif
