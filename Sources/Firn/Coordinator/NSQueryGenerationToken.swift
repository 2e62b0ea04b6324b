import FirnLog
public import Foundation

/// A state of the stores that a context can be pinned to.
/// https://developer.apple.com/documentation/coredata/nsquerygenerationtoken
public final class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// Nil for the token that stands for whatever is current when it is used.
    package let token: NSPersistentHistoryToken?

    package init(_ token: NSPersistentHistoryToken?) { self.token = token }

    /// The generation that is current at the first read after it is set.
    public class var current: NSQueryGenerationToken { whateverIsCurrent }
    private static let whateverIsCurrent = NSQueryGenerationToken(nil)

    public static var supportsSecureCoding: Bool { true }

    /// The token of which `encode(with:)` wrote the positions.
    public init?(coder: NSCoder) {
        guard
            let positions = coder.decodeObject(
                of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: Self.positionsKey) as? [String: Any]
        else { return nil }
        let known = positions.compactMapValues(LogPosition.init(archived:))
        guard known.count == positions.count else { return nil }
        token = known.isEmpty ? nil : NSPersistentHistoryToken(known)
    }

    public func encode(with coder: NSCoder) {
        let positions = (token?.positions ?? [:]).mapValues(\.description)
        coder.encode(positions as NSDictionary, forKey: Self.positionsKey)
    }

    private static let positionsKey = "positions"

    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSQueryGenerationToken else { return false }
        return other === self || other.token == token
    }

    public override var hash: Int { token?.hash ?? 0 }

    public override var description: String { "<NSQueryGenerationToken - \(token?.description ?? "current")>" }
}
