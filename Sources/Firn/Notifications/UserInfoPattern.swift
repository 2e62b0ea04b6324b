import FirnRuntime
import Foundation

/// The keys of a notification's `userInfo`, with the number of what goes under each in place of it.
///
/// A dictionary of these keys hashes a text for each that is put in. Filled from a pattern, which has its keys in their
/// places, it hashes none: for a save of one object that was a good part of its four notifications.
struct UserInfoPattern: Sendable {
    /// The keys of object sets, by their place in `keys`.
    private static let objectKeys = [
        NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
        NSInvalidatedObjectsKey, NSManagedObjectContextQueryGenerationKey,
    ]
    private static let idKeys = [
        NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey, NSRefreshedObjectIDsKey,
        NSInvalidatedObjectIDsKey,
    ]
    /// The number of the state of the stores, behind those of the lists of objects.
    static let generation = 5

    /// Of texts, and never changed.
    private let numbers: Transferred<[AnyHashable: Int]>

    private init(_ keys: [String], _ parts: Int) {
        var numbers: [AnyHashable: Int] = [:]
        for (number, key) in keys.enumerated() where parts & 1 << number != 0 { numbers[key] = number }
        self.numbers = Transferred(numbers)
    }

    private static let ofObjects = (0..<64).map { UserInfoPattern(objectKeys, $0) }
    private static let ofIDs = (0..<32).map { UserInfoPattern(idKeys, $0) }

    /// The pattern with a key for each number whose bit is set.
    static func objects(_ parts: Int) -> UserInfoPattern { ofObjects[parts] }

    /// The pattern with a key of object IDs for each number whose bit is set.
    static func ids(_ parts: Int) -> UserInfoPattern { ofIDs[parts] }

    func filled(_ value: (Int) -> Any) -> [AnyHashable: Any] { numbers.value.mapValues(value) }
}
