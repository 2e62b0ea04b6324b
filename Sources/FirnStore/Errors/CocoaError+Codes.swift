public import Foundation

/// Core Data's error codes as Foundation's error type spells them: on the code, and on the error itself, as in
/// `catch CocoaError.validationMissingMandatoryProperty`.
public protocol _CocoaErrorCodes {}

extension CocoaError: _CocoaErrorCodes {}
extension CocoaError.Code: _CocoaErrorCodes {}

extension _CocoaErrorCodes {
    public static var managedObjectValidation: CocoaError.Code { CocoaError.Code(rawValue: 1550) }
    public static var managedObjectConstraintValidation: CocoaError.Code { CocoaError.Code(rawValue: 1551) }
    public static var validationMultipleErrors: CocoaError.Code { CocoaError.Code(rawValue: 1560) }
    public static var validationMissingMandatoryProperty: CocoaError.Code { CocoaError.Code(rawValue: 1570) }
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code { CocoaError.Code(rawValue: 1580) }
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code { CocoaError.Code(rawValue: 1590) }
    public static var validationRelationshipDeniedDelete: CocoaError.Code { CocoaError.Code(rawValue: 1600) }
    public static var validationNumberTooLarge: CocoaError.Code { CocoaError.Code(rawValue: 1610) }
    public static var validationNumberTooSmall: CocoaError.Code { CocoaError.Code(rawValue: 1620) }
    public static var validationDateTooLate: CocoaError.Code { CocoaError.Code(rawValue: 1630) }
    public static var validationDateTooSoon: CocoaError.Code { CocoaError.Code(rawValue: 1640) }
    public static var validationInvalidDate: CocoaError.Code { CocoaError.Code(rawValue: 1650) }
    public static var validationStringTooLong: CocoaError.Code { CocoaError.Code(rawValue: 1660) }
    public static var validationStringTooShort: CocoaError.Code { CocoaError.Code(rawValue: 1670) }
    public static var validationStringPatternMatching: CocoaError.Code { CocoaError.Code(rawValue: 1680) }
    public static var validationInvalidURI: CocoaError.Code { CocoaError.Code(rawValue: 1690) }
    public static var managedObjectContextLocking: CocoaError.Code { CocoaError.Code(rawValue: 132000) }
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { CocoaError.Code(rawValue: 132010) }
    public static var managedObjectReferentialIntegrity: CocoaError.Code { CocoaError.Code(rawValue: 133000) }
    public static var managedObjectExternalRelationship: CocoaError.Code { CocoaError.Code(rawValue: 133010) }
    public static var managedObjectMerge: CocoaError.Code { CocoaError.Code(rawValue: 133020) }
    public static var managedObjectConstraintMerge: CocoaError.Code { CocoaError.Code(rawValue: 133021) }
    public static var persistentStoreInvalidType: CocoaError.Code { CocoaError.Code(rawValue: 134000) }
    public static var persistentStoreTypeMismatch: CocoaError.Code { CocoaError.Code(rawValue: 134010) }
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { CocoaError.Code(rawValue: 134020) }
    public static var persistentStoreSave: CocoaError.Code { CocoaError.Code(rawValue: 134030) }
    public static var persistentStoreIncompleteSave: CocoaError.Code { CocoaError.Code(rawValue: 134040) }
    public static var persistentStoreSaveConflicts: CocoaError.Code { CocoaError.Code(rawValue: 134050) }
    public static var coreData: CocoaError.Code { CocoaError.Code(rawValue: 134060) }
    public static var persistentStoreOperation: CocoaError.Code { CocoaError.Code(rawValue: 134070) }
    public static var persistentStoreOpen: CocoaError.Code { CocoaError.Code(rawValue: 134080) }
    public static var persistentStoreTimeout: CocoaError.Code { CocoaError.Code(rawValue: 134090) }
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { CocoaError.Code(rawValue: 134091) }
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code { CocoaError.Code(rawValue: 134100) }
    public static var migration: CocoaError.Code { CocoaError.Code(rawValue: 134110) }
    public static var migrationConstraintViolation: CocoaError.Code { CocoaError.Code(rawValue: 134111) }
    public static var migrationCancelled: CocoaError.Code { CocoaError.Code(rawValue: 134120) }
    public static var migrationMissingSourceModel: CocoaError.Code { CocoaError.Code(rawValue: 134130) }
    public static var migrationMissingMappingModel: CocoaError.Code { CocoaError.Code(rawValue: 134140) }
    public static var migrationManagerSourceStore: CocoaError.Code { CocoaError.Code(rawValue: 134150) }
    public static var migrationManagerDestinationStore: CocoaError.Code { CocoaError.Code(rawValue: 134160) }
    public static var entityMigrationPolicy: CocoaError.Code { CocoaError.Code(rawValue: 134170) }
    public static var sqlite: CocoaError.Code { CocoaError.Code(rawValue: 134180) }
    public static var inferredMappingModel: CocoaError.Code { CocoaError.Code(rawValue: 134190) }
    public static var externalRecordImport: CocoaError.Code { CocoaError.Code(rawValue: 134200) }
    public static var persistentHistoryTokenExpired: CocoaError.Code { CocoaError.Code(rawValue: 134301) }
    public static var managedObjectModelReferenceNotFound: CocoaError.Code { CocoaError.Code(rawValue: 134504) }
    public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code { CocoaError.Code(rawValue: 134505) }
    public static var stagedMigrationBackwardMigration: CocoaError.Code { CocoaError.Code(rawValue: 134506) }
}

extension _CocoaErrorCodes {
    public static var managedObjectValidationError: CocoaError.Code { .managedObjectValidation }
    public static var validationMultipleErrorsError: CocoaError.Code { .validationMultipleErrors }
    public static var validationMissingMandatoryPropertyError: CocoaError.Code { .validationMissingMandatoryProperty }
    public static var validationRelationshipLacksMinimumCountError: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }
    public static var validationRelationshipExceedsMaximumCountError: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }
    public static var validationRelationshipDeniedDeleteError: CocoaError.Code { .validationRelationshipDeniedDelete }
    public static var validationNumberTooLargeError: CocoaError.Code { .validationNumberTooLarge }
    public static var validationNumberTooSmallError: CocoaError.Code { .validationNumberTooSmall }
    public static var validationDateTooLateError: CocoaError.Code { .validationDateTooLate }
    public static var validationDateTooSoonError: CocoaError.Code { .validationDateTooSoon }
    public static var validationInvalidDateError: CocoaError.Code { .validationInvalidDate }
    public static var validationStringTooLongError: CocoaError.Code { .validationStringTooLong }
    public static var validationStringTooShortError: CocoaError.Code { .validationStringTooShort }
    public static var validationStringPatternMatchingError: CocoaError.Code { .validationStringPatternMatching }
    public static var managedObjectContextLockingError: CocoaError.Code { .managedObjectContextLocking }
    public static var persistentStoreCoordinatorLockingError: CocoaError.Code { .persistentStoreCoordinatorLocking }
    public static var managedObjectReferentialIntegrityError: CocoaError.Code { .managedObjectReferentialIntegrity }
    public static var managedObjectExternalRelationshipError: CocoaError.Code { .managedObjectExternalRelationship }
    public static var managedObjectMergeError: CocoaError.Code { .managedObjectMerge }
    public static var managedObjectConstraintMergeError: CocoaError.Code { .managedObjectConstraintMerge }
    public static var persistentStoreInvalidTypeError: CocoaError.Code { .persistentStoreInvalidType }
    public static var persistentStoreTypeMismatchError: CocoaError.Code { .persistentStoreTypeMismatch }
    public static var persistentStoreIncompatibleSchemaError: CocoaError.Code { .persistentStoreIncompatibleSchema }
    public static var persistentStoreSaveError: CocoaError.Code { .persistentStoreSave }
    public static var persistentStoreIncompleteSaveError: CocoaError.Code { .persistentStoreIncompleteSave }
    public static var persistentStoreSaveConflictsError: CocoaError.Code { .persistentStoreSaveConflicts }
    public static var coreDataError: CocoaError.Code { .coreData }
    public static var persistentStoreOperationError: CocoaError.Code { .persistentStoreOperation }
    public static var persistentStoreOpenError: CocoaError.Code { .persistentStoreOpen }
    public static var persistentStoreTimeoutError: CocoaError.Code { .persistentStoreTimeout }
    public static var persistentStoreUnsupportedRequestTypeError: CocoaError.Code {
        .persistentStoreUnsupportedRequestType
    }
    public static var persistentStoreIncompatibleVersionHashError: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }
    public static var migrationError: CocoaError.Code { .migration }
    public static var migrationCancelledError: CocoaError.Code { .migrationCancelled }
    public static var migrationMissingSourceModelError: CocoaError.Code { .migrationMissingSourceModel }
    public static var migrationMissingMappingModelError: CocoaError.Code { .migrationMissingMappingModel }
    public static var migrationManagerSourceStoreError: CocoaError.Code { .migrationManagerSourceStore }
    public static var migrationManagerDestinationStoreError: CocoaError.Code { .migrationManagerDestinationStore }
    public static var entityMigrationPolicyError: CocoaError.Code { .entityMigrationPolicy }
    public static var sqliteError: CocoaError.Code { .sqlite }
    public static var inferredMappingModelError: CocoaError.Code { .inferredMappingModel }
    public static var externalRecordImportError: CocoaError.Code { .externalRecordImport }
}
