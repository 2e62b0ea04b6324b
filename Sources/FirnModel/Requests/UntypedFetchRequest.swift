import Foundation

/// A fetch request without the Swift type of its results.
///
/// In Objective-C the type parameter of `NSFetchRequest` is erased, and requests of different result types convert
/// freely. Swift's generic classes do not; what has to take every fetch request takes this class.
open class UntypedFetchRequest: NSPersistentStoreRequest {
    /// What the request asks.
    package final var settings: FetchSettings

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    public override init() {
        settings = FetchSettings()
        super.init()
    }

    package init(settings: FetchSettings) {
        self.settings = settings
        super.init()
    }

    /// The name that the request was made with, until its entity is known.
    package final var unresolvedEntityName: String? { settings.requestedEntityName }

    /// Gives a request made by name its entity.
    package final func resolveEntity(_ resolved: NSEntityDescription) { settings.entity = resolved }
}
