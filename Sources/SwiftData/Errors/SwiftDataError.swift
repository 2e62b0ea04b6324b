#if SwiftData
/// What goes wrong in this module. Two errors are equal if they are of one kind.
///
/// https://developer.apple.com/documentation/swiftdata/swiftdataerror
public struct SwiftDataError: Error, Hashable, CustomStringConvertible {
    private let kind: String
    /// What went wrong, and where. Ours, not Apple's.
    public private(set) var message = ""
    /// The error of the layer below. Ours, not Apple's.
    public private(set) var underlyingError: (any Error)?

    private init(_ kind: String) { self.kind = kind }

    /// Batches show saved models only.
    public static let includePendingChangesWithBatchSize = SwiftDataError("includePendingChangesWithBatchSize")
    /// A predicate has a part that no store can answer.
    public static let unsupportedPredicate = SwiftDataError("unsupportedPredicate")
    /// A key path leads to no saved property.
    public static let unsupportedKeyPath = SwiftDataError("unsupportedKeyPath")
    /// Identifiers are sorted by stores, which do not know unsaved models.
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError("sortingPendingChangesWithIdentifiers")
    /// A sort descriptor compares what no store knows.
    public static let unsupportedSortDescriptor = SwiftDataError("unsupportedSortDescriptor")
    /// Two configurations of a container are of one store.
    public static let duplicateConfiguration = SwiftDataError("duplicateConfiguration")
    /// The name of a configuration makes the name of its file too long.
    public static let configurationFileNameTooLong = SwiftDataError("configurationFileNameTooLong")
    /// The name of a configuration cannot be that of a file.
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
        "configurationFileNameContainsInvalidCharacters")
    /// A configuration has a model that its container lacks.
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
        "configurationSchemaNotFoundInContainerSchema")
    /// A container's store could not be opened.
    public static let loadIssueModelContainer = SwiftDataError("loadIssueModelContainer")
    /// A model cannot be saved as it is.
    public static let modelValidationFailure = SwiftDataError("modelValidationFailure")
    /// A model is in no context.
    public static let missingModelContext = SwiftDataError("missingModelContext")
    /// The store is of a later version than the program.
    public static let backwardMigration = SwiftDataError("backwardMigration")
    /// The store is of no version of the migration plan.
    public static let unknownSchema = SwiftDataError("unknownSchema")
    /// The store of a data store is of no version of the migration plan.
    public static let unknownDataStoreSchema = SwiftDataError("unknownDataStoreSchema")
    /// The history before the token was deleted.
    public static let historyTokenExpired = SwiftDataError("historyTokenExpired")
    /// A history was asked for in a form that its store does not have.
    public static let invalidTransactionFetchRequest = SwiftDataError("invalidTransactionFetchRequest")
    /// A context that saves by itself had changes when it was released, or when the process ended. Ours, not Apple's.
    public static let unsavedChanges = SwiftDataError("unsavedChanges")

    /// The same error with what went wrong.
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

    public var description: String { message.isEmpty ? kind : "\(kind): \(message)" }
}
#endif
