import SwiftTokens

/// Declarations that ported copies call. They are written to the target's own support file, each if a file needs it.
enum PortSupport: String, Codable, CaseIterable {
    case keyPath, requestCast, observer, autoreleasepool, log, nanoseconds

    /// What a word asks for, where it is not declared or a member.
    init?(word: String, _ source: SourceText, _ index: Int) {
        guard !source.isSign(".", at: index - 1) else { return nil }
        switch word {
        case "autoreleasepool" where ["(", "{"].contains(source.text(at: index + 1)): self = .autoreleasepool
        case "Logger", "OSLog", "os_log", "OSLogType": self = .log
        case "NSEC_PER_SEC", "NSEC_PER_MSEC": self = .nanoseconds
        default: return nil
        }
    }

    /// Without what the target declares itself.
    static func without(_ support: Set<PortSupport>, _ declared: Set<String>) -> Set<PortSupport> {
        declared.isDisjoint(with: ["Logger", "OSLog"]) ? support : support.subtracting([.log])
    }

    static func text(_ support: Set<PortSupport>) -> String {
        "import CoreData\n" + allCases.filter(support.contains).map { "\n" + $0.text }.joined()
    }

    private var text: String {
        switch self {
        case .keyPath: Self.keyPathText
        case .requestCast: Self.requestCastText
        case .observer: Self.observerText
        case .autoreleasepool: Self.autoreleasepoolText
        case .log: Self.logText
        case .nanoseconds: "let NSEC_PER_SEC: UInt64 = 1_000_000_000, NSEC_PER_MSEC: UInt64 = 1_000_000\n"
        }
    }

    private static let keyPathText = """
        /// The text of `#keyPath`. The path is there for the compiler to check.
        public func _portedKeyPath<Root, Value>(
            _ path: @autoclosure () -> KeyPath<Root, Value>, _ text: String
        ) -> String { text }

        public func _portedKeyPath<Value>(_ path: @autoclosure () -> _PortedPath<Value>, _ text: String) -> String {
            text
        }

        /// A path of several steps, through optionals and collections as Objective-C goes.
        @dynamicMemberLookup
        public struct _PortedPath<Root> {
            public init() {}
            public subscript<V>(dynamicMember path: KeyPath<Root, V>) -> _PortedPath<V> { .init() }
            public subscript<V>(dynamicMember path: KeyPath<Root, V?>) -> _PortedPath<V> { .init() }
            public subscript<V>(dynamicMember path: KeyPath<Root, Set<V>>) -> _PortedPath<V> { .init() }
            public subscript<V>(dynamicMember path: KeyPath<Root, Set<V>?>) -> _PortedPath<V> { .init() }
            public subscript<V>(dynamicMember path: KeyPath<Root, [V]>) -> _PortedPath<V> { .init() }
            public subscript<V>(dynamicMember path: KeyPath<Root, [V]?>) -> _PortedPath<V> { .init() }
            public subscript(dynamicMember path: KeyPath<Root, NSSet>) -> _PortedMembers { .init() }
            public subscript(dynamicMember path: KeyPath<Root, NSSet?>) -> _PortedMembers { .init() }
            public subscript(dynamicMember path: KeyPath<Root, NSOrderedSet>) -> _PortedMembers { .init() }
            public subscript(dynamicMember path: KeyPath<Root, NSOrderedSet?>) -> _PortedMembers { .init() }
        }

        /// The members of a collection that does not say their type: any name goes.
        @dynamicMemberLookup
        public struct _PortedMembers {
            public init() {}
            public subscript(dynamicMember name: String) -> _PortedMembers { .init() }
        }

        public func _portedKeyPath(_ path: @autoclosure () -> _PortedMembers, _ text: String) -> String { text }

        """

    private static let requestCastText = """
        infix operator ~~> : CastingPrecedence
        infix operator ~~>! : CastingPrecedence

        /// `request as? NSFetchRequest<Order>`: a copy of the request, where its type is another.
        func ~~> <Result>(request: Any?, type: NSFetchRequest<Result>.Type) -> NSFetchRequest<Result>? {
            request as? NSFetchRequest<Result> ?? (request as? UntypedFetchRequest)?.withResultType(Result.self)
        }

        /// `request as! NSFetchRequest<Order>`.
        func ~~>! <Result>(request: Any?, type: NSFetchRequest<Result>.Type) -> NSFetchRequest<Result> {
            guard let copy = request ~~> type else { fatalError("\\(String(describing: request)) is no fetch request") }
            return copy
        }

        """

    private static let autoreleasepoolText = """
        /// Objective-C's pool, which nothing is put into here.
        func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

        """
}
