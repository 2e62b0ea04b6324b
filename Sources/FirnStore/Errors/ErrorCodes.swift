/// Core Data's error codes in the domain `NSCocoaErrorDomain`, under the names of its C header.
/// https://developer.apple.com/documentation/coredata/core-data-error-codes

public var NSManagedObjectValidationError: Int { 1550 }
/// The code of an error: managed object constraint validation.
public var NSManagedObjectConstraintValidationError: Int { 1551 }
/// The code of an error: validation multiple errors.
public var NSValidationMultipleErrorsError: Int { 1560 }
/// The code of an error: validation missing mandatory property.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }
/// The code of an error: validation relationship lacks minimum count.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }
/// The code of an error: validation relationship exceeds maximum count.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }
/// The code of an error: validation relationship denied delete.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }
/// The code of an error: validation number too large.
public var NSValidationNumberTooLargeError: Int { 1610 }
/// The code of an error: validation number too small.
public var NSValidationNumberTooSmallError: Int { 1620 }
/// The code of an error: validation date too late.
public var NSValidationDateTooLateError: Int { 1630 }
/// The code of an error: validation date too soon.
public var NSValidationDateTooSoonError: Int { 1640 }
/// The code of an error: validation invalid date.
public var NSValidationInvalidDateError: Int { 1650 }
/// The code of an error: validation string too long.
public var NSValidationStringTooLongError: Int { 1660 }
/// The code of an error: validation string too short.
public var NSValidationStringTooShortError: Int { 1670 }
/// The code of an error: validation string pattern matching.
public var NSValidationStringPatternMatchingError: Int { 1680 }
/// The code of an error: validation invalid uri.
public var NSValidationInvalidURIError: Int { 1690 }
/// The code of an error: managed object context locking.
public var NSManagedObjectContextLockingError: Int { 132000 }
/// The code of an error: persistent store coordinator locking.
public var NSPersistentStoreCoordinatorLockingError: Int { 132010 }
/// The code of an error: managed object referential integrity.
public var NSManagedObjectReferentialIntegrityError: Int { 133000 }
/// The code of an error: managed object external relationship.
public var NSManagedObjectExternalRelationshipError: Int { 133010 }
/// The code of an error: managed object merge.
public var NSManagedObjectMergeError: Int { 133020 }
/// The code of an error: managed object constraint merge.
public var NSManagedObjectConstraintMergeError: Int { 133021 }
/// The code of an error: persistent store invalid type.
public var NSPersistentStoreInvalidTypeError: Int { 134000 }
/// The code of an error: persistent store type mismatch.
public var NSPersistentStoreTypeMismatchError: Int { 134010 }
/// The code of an error: persistent store incompatible schema.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134020 }
/// The code of an error: persistent store save.
public var NSPersistentStoreSaveError: Int { 134030 }
/// The code of an error: persistent store incomplete save.
public var NSPersistentStoreIncompleteSaveError: Int { 134040 }
/// The code of an error: persistent store save conflicts.
public var NSPersistentStoreSaveConflictsError: Int { 134050 }
/// The code of an error: core data.
public var NSCoreDataError: Int { 134060 }
/// The code of an error: persistent store operation.
public var NSPersistentStoreOperationError: Int { 134070 }
/// The code of an error: persistent store open.
public var NSPersistentStoreOpenError: Int { 134080 }
/// The code of an error: persistent store timeout.
public var NSPersistentStoreTimeoutError: Int { 134090 }
/// The code of an error: persistent store unsupported request type.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134091 }
/// The code of an error: persistent store incompatible version hash.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134100 }
/// The code of an error: migration.
public var NSMigrationError: Int { 134110 }
/// The code of an error: migration constraint violation.
public var NSMigrationConstraintViolationError: Int { 134111 }
/// The code of an error: migration cancelled.
public var NSMigrationCancelledError: Int { 134120 }
/// The code of an error: migration missing source model.
public var NSMigrationMissingSourceModelError: Int { 134130 }
/// The code of an error: migration missing mapping model.
public var NSMigrationMissingMappingModelError: Int { 134140 }
/// The code of an error: migration manager source store.
public var NSMigrationManagerSourceStoreError: Int { 134150 }
/// The code of an error: migration manager destination store.
public var NSMigrationManagerDestinationStoreError: Int { 134160 }
/// The code of an error: entity migration policy.
public var NSEntityMigrationPolicyError: Int { 134170 }
/// The code of an error: SQLite.
public var NSSQLiteError: Int { 134180 }
/// The code of an error: inferred mapping model.
public var NSInferredMappingModelError: Int { 134190 }
/// The code of an error: external record import.
public var NSExternalRecordImportError: Int { 134200 }
/// The code of an error: persistent history token expired.
public var NSPersistentHistoryTokenExpiredError: Int { 134301 }
/// The code of an error: managed object model reference not found.
public var NSManagedObjectModelReferenceNotFoundError: Int { 134504 }
/// The code of an error: staged migration framework version mismatch.
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134505 }
/// The code of an error: staged migration backward migration.
public var NSStagedMigrationBackwardMigrationError: Int { 134506 }
