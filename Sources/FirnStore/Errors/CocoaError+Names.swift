public import Foundation

/// The codes again on the error itself, as in `catch CocoaError.validationMissingMandatoryProperty`.
extension CocoaError {
    public static var managedObjectValidation: CocoaError.Code { Code.managedObjectValidation }
    public static var managedObjectConstraintValidation: CocoaError.Code { Code.managedObjectConstraintValidation }
    public static var validationMultipleErrors: CocoaError.Code { Code.validationMultipleErrors }
    public static var validationMissingMandatoryProperty: CocoaError.Code { Code.validationMissingMandatoryProperty }
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        Code.validationRelationshipLacksMinimumCount
    }
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        Code.validationRelationshipExceedsMaximumCount
    }
    public static var validationRelationshipDeniedDelete: CocoaError.Code { Code.validationRelationshipDeniedDelete }
    public static var validationNumberTooLarge: CocoaError.Code { Code.validationNumberTooLarge }
    public static var validationNumberTooSmall: CocoaError.Code { Code.validationNumberTooSmall }
    public static var validationDateTooLate: CocoaError.Code { Code.validationDateTooLate }
    public static var validationDateTooSoon: CocoaError.Code { Code.validationDateTooSoon }
    public static var validationInvalidDate: CocoaError.Code { Code.validationInvalidDate }
    public static var validationStringTooLong: CocoaError.Code { Code.validationStringTooLong }
    public static var validationStringTooShort: CocoaError.Code { Code.validationStringTooShort }
    public static var validationStringPatternMatching: CocoaError.Code { Code.validationStringPatternMatching }
    public static var validationInvalidURI: CocoaError.Code { Code.validationInvalidURI }
    public static var managedObjectContextLocking: CocoaError.Code { Code.managedObjectContextLocking }
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { Code.persistentStoreCoordinatorLocking }
    public static var managedObjectReferentialIntegrity: CocoaError.Code { Code.managedObjectReferentialIntegrity }
    public static var managedObjectExternalRelationship: CocoaError.Code { Code.managedObjectExternalRelationship }
    public static var managedObjectMerge: CocoaError.Code { Code.managedObjectMerge }
    public static var managedObjectConstraintMerge: CocoaError.Code { Code.managedObjectConstraintMerge }
    public static var persistentStoreInvalidType: CocoaError.Code { Code.persistentStoreInvalidType }
    public static var persistentStoreTypeMismatch: CocoaError.Code { Code.persistentStoreTypeMismatch }
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { Code.persistentStoreIncompatibleSchema }
    public static var persistentStoreSave: CocoaError.Code { Code.persistentStoreSave }
    public static var persistentStoreIncompleteSave: CocoaError.Code { Code.persistentStoreIncompleteSave }
    public static var persistentStoreSaveConflicts: CocoaError.Code { Code.persistentStoreSaveConflicts }
    public static var coreData: CocoaError.Code { Code.coreData }
    public static var persistentStoreOperation: CocoaError.Code { Code.persistentStoreOperation }
    public static var persistentStoreOpen: CocoaError.Code { Code.persistentStoreOpen }
    public static var persistentStoreTimeout: CocoaError.Code { Code.persistentStoreTimeout }
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
        Code.persistentStoreUnsupportedRequestType
    }
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        Code.persistentStoreIncompatibleVersionHash
    }
    public static var migration: CocoaError.Code { Code.migration }
    public static var migrationConstraintViolation: CocoaError.Code { Code.migrationConstraintViolation }
    public static var migrationCancelled: CocoaError.Code { Code.migrationCancelled }
    public static var migrationMissingSourceModel: CocoaError.Code { Code.migrationMissingSourceModel }
    public static var migrationMissingMappingModel: CocoaError.Code { Code.migrationMissingMappingModel }
    public static var migrationManagerSourceStore: CocoaError.Code { Code.migrationManagerSourceStore }
    public static var migrationManagerDestinationStore: CocoaError.Code { Code.migrationManagerDestinationStore }
    public static var entityMigrationPolicy: CocoaError.Code { Code.entityMigrationPolicy }
    public static var sqlite: CocoaError.Code { Code.sqlite }
    public static var inferredMappingModel: CocoaError.Code { Code.inferredMappingModel }
    public static var externalRecordImport: CocoaError.Code { Code.externalRecordImport }
    public static var persistentHistoryTokenExpired: CocoaError.Code { Code.persistentHistoryTokenExpired }
    public static var managedObjectModelReferenceNotFound: CocoaError.Code { Code.managedObjectModelReferenceNotFound }
    public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
        Code.stagedMigrationFrameworkVersionMismatch
    }
    public static var stagedMigrationBackwardMigration: CocoaError.Code { Code.stagedMigrationBackwardMigration }
}

extension CocoaError {
    public static var managedObjectValidationError: CocoaError.Code { Code.managedObjectValidation }
    public static var validationMultipleErrorsError: CocoaError.Code { Code.validationMultipleErrors }
    public static var validationMissingMandatoryPropertyError: CocoaError.Code {
        Code.validationMissingMandatoryProperty
    }
    public static var validationRelationshipLacksMinimumCountError: CocoaError.Code {
        Code.validationRelationshipLacksMinimumCount
    }
    public static var validationRelationshipExceedsMaximumCountError: CocoaError.Code {
        Code.validationRelationshipExceedsMaximumCount
    }
    public static var validationRelationshipDeniedDeleteError: CocoaError.Code {
        Code.validationRelationshipDeniedDelete
    }
    public static var validationNumberTooLargeError: CocoaError.Code { Code.validationNumberTooLarge }
    public static var validationNumberTooSmallError: CocoaError.Code { Code.validationNumberTooSmall }
    public static var validationDateTooLateError: CocoaError.Code { Code.validationDateTooLate }
    public static var validationDateTooSoonError: CocoaError.Code { Code.validationDateTooSoon }
    public static var validationInvalidDateError: CocoaError.Code { Code.validationInvalidDate }
    public static var validationStringTooLongError: CocoaError.Code { Code.validationStringTooLong }
    public static var validationStringTooShortError: CocoaError.Code { Code.validationStringTooShort }
    public static var validationStringPatternMatchingError: CocoaError.Code { Code.validationStringPatternMatching }
    public static var managedObjectContextLockingError: CocoaError.Code { Code.managedObjectContextLocking }
    public static var persistentStoreCoordinatorLockingError: CocoaError.Code { Code.persistentStoreCoordinatorLocking }
    public static var managedObjectReferentialIntegrityError: CocoaError.Code { Code.managedObjectReferentialIntegrity }
    public static var managedObjectExternalRelationshipError: CocoaError.Code { Code.managedObjectExternalRelationship }
    public static var managedObjectMergeError: CocoaError.Code { Code.managedObjectMerge }
    public static var managedObjectConstraintMergeError: CocoaError.Code { Code.managedObjectConstraintMerge }
    public static var persistentStoreInvalidTypeError: CocoaError.Code { Code.persistentStoreInvalidType }
    public static var persistentStoreTypeMismatchError: CocoaError.Code { Code.persistentStoreTypeMismatch }
    public static var persistentStoreIncompatibleSchemaError: CocoaError.Code { Code.persistentStoreIncompatibleSchema }
    public static var persistentStoreSaveError: CocoaError.Code { Code.persistentStoreSave }
    public static var persistentStoreIncompleteSaveError: CocoaError.Code { Code.persistentStoreIncompleteSave }
    public static var persistentStoreSaveConflictsError: CocoaError.Code { Code.persistentStoreSaveConflicts }
    public static var coreDataError: CocoaError.Code { Code.coreData }
    public static var persistentStoreOperationError: CocoaError.Code { Code.persistentStoreOperation }
    public static var persistentStoreOpenError: CocoaError.Code { Code.persistentStoreOpen }
    public static var persistentStoreTimeoutError: CocoaError.Code { Code.persistentStoreTimeout }
    public static var persistentStoreUnsupportedRequestTypeError: CocoaError.Code {
        Code.persistentStoreUnsupportedRequestType
    }
    public static var persistentStoreIncompatibleVersionHashError: CocoaError.Code {
        Code.persistentStoreIncompatibleVersionHash
    }
    public static var migrationError: CocoaError.Code { Code.migration }
    public static var migrationCancelledError: CocoaError.Code { Code.migrationCancelled }
    public static var migrationMissingSourceModelError: CocoaError.Code { Code.migrationMissingSourceModel }
    public static var migrationMissingMappingModelError: CocoaError.Code { Code.migrationMissingMappingModel }
    public static var migrationManagerSourceStoreError: CocoaError.Code { Code.migrationManagerSourceStore }
    public static var migrationManagerDestinationStoreError: CocoaError.Code { Code.migrationManagerDestinationStore }
    public static var entityMigrationPolicyError: CocoaError.Code { Code.entityMigrationPolicy }
    public static var sqliteError: CocoaError.Code { Code.sqlite }
    public static var inferredMappingModelError: CocoaError.Code { Code.inferredMappingModel }
    public static var externalRecordImportError: CocoaError.Code { Code.externalRecordImport }
}
