import SwiftTokens

/// Declarations that ported copies call. They are written to the target's own support file, each if a file needs it.
enum PortSupport: String, Codable, CaseIterable, Comparable {
    case keyPath, requestCast, observer, log, qualifiedLogger, logger, lock, nanoseconds, className, argumentList
    case resourceList, expectation, objectLock, objectCast, bundleIdentifier, methodArgument, dependentKey
    case unfairLock, associatedObject, fileReplacement, queueLabel

    static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }

    /// What a word asks for, where it is not declared or a member.
    init?(word: String, _ source: SourceText, _ index: Int) {
        let isCalled = source.isSign("(", at: index + 1)
        if isCalled, word == "wait" && source.isWord("for", at: index + 2) || word == "fulfillment" {
            self = .expectation
            return
        }
        switch word {
        // What 'firn port apply' has written.
        case "addPortedObserver", "removePortedObserver": self = .observer
        case "portedURLs": self = .resourceList
        case "portedReplaceItemAt": self = .fileReplacement
        case "portedArgument": self = .methodArgument
        case "PortedLogger": self = .qualifiedLogger
        case _ where source.isSign(".", at: index - 1) && !source.isWord("os", at: index - 2): return nil
        case "Logger": self = .logger
        case "OSLog", "os_log", "OSLogType", "OSSignpostID", "os_signpost": self = .log
        case "OSAllocatedUnfairLock": self = .lock
        case "NSStringFromClass" where source.isSign("(", at: index + 1): self = .className
        case "objc_sync_enter", "objc_sync_exit": self = .objectLock
        case _ where word.hasPrefix("os_unfair_lock"): self = .unfairLock
        case "objc_getAssociatedObject", "objc_setAssociatedObject": self = .associatedObject
        case "withVaList", "getVaList", "CVaListPointer": self = .argumentList
        case "NSEC_PER_SEC", "NSEC_PER_MSEC": self = .nanoseconds
        case "__dispatch_queue_get_label": self = .queueLabel
        default: return nil
        }
    }

    /// Without what the target declares itself, and with what the rest of it calls.
    static func without(_ support: Set<PortSupport>, _ declared: Set<String>) -> Set<PortSupport> {
        if declared.contains("OSLog") { return support.subtracting([.log, .logger, .qualifiedLogger]) }
        let needed = declared.contains("Logger") ? support.subtracting([.logger]) : support
        if needed.contains(.logger) { return needed.union([.log, .qualifiedLogger]) }
        return needed.contains(.qualifiedLogger) ? needed.union([.log]) : needed
    }

    static func text(_ support: Set<PortSupport>) -> String {
        "import CoreData\nimport Foundation\n" + allCases.filter(support.contains).map { "\n" + $0.text }.joined()
    }

    /// For sources that `firn port apply` has written.
    static func appliedText(_ support: Set<PortSupport>) -> String { text(support.subtracting([.keyPath])) }

    private var text: String {
        switch self {
        case .keyPath: Self.keyPathText
        case .requestCast: Self.requestCastText
        case .observer: Self.observerText
        case .log: Self.logText
        case .qualifiedLogger: Self.qualifiedLoggerText
        case .logger: "public typealias Logger = PortedLogger\n"
        case .lock: Self.lockText
        case .className: Self.classNameText
        case .argumentList: Self.argumentListText
        case .resourceList: Self.resourceListText
        case .fileReplacement: Self.fileReplacementText
        case .expectation: Self.expectationText
        case .objectLock: Self.objectLockText
        case .objectCast: Self.objectCastText
        case .bundleIdentifier: Self.bundleIdentifierText
        case .methodArgument: Self.methodArgumentText
        case .dependentKey: Self.dependentKeyText
        case .unfairLock: Self.unfairLockText
        case .associatedObject: Self.associatedObjectText
        case .queueLabel: Self.queueLabelText
        case .nanoseconds: "let NSEC_PER_SEC: UInt64 = 1_000_000_000, NSEC_PER_MSEC: UInt64 = 1_000_000\n"
        }
    }

    private static let keyPathText = """
        /// The text of `#keyPath`. The closure is never called: it has the compiler check the path.
        /// It is of the main actor, as such classes have paths everywhere.
        public func _portedKeyPath<Root>(
            _ root: Root.Type, _ path: @MainActor (Root) -> Void, _ text: String
        ) -> String { text }

        /// Steps of a path through optionals and collections, as Objective-C goes.
        public func _portedStep<Value>(_ value: Value?) -> Value { value! }
        public func _portedStep<Value>(_ values: Set<Value>?) -> Value { values!.first! }
        public func _portedStep<Value>(_ values: [Value]?) -> Value { values![0] }
        public func _portedStep(_ values: NSSet?) -> _PortedMembers { .init() }
        public func _portedStep(_ values: NSOrderedSet?) -> _PortedMembers { .init() }

        /// The members of a collection that does not say their type: any name goes.
        @dynamicMemberLookup
        public struct _PortedMembers {
            public init() {}
            public subscript(dynamicMember name: String) -> _PortedMembers { .init() }
        }

        """

    private static let objectCastText = """
        infix operator ~~~> : CastingPrecedence

        /// `value as NSObject`: an object of Foundation, or one that holds the value.
        func ~~~> (value: Any, type: NSObject.Type) -> NSObject {
            if let file = value as? FileProtectionType { return file.rawValue as NSString }
            return value as? NSObject ?? (value as AnyObject) as! NSObject
        }

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

    private static let classNameText = """
        /// Foundation's stops the program for a class in a type or in a function, and for a private one. Models find a
        /// class in a type by its names, joined, and the others by a name that is made.
        func NSStringFromClass(_ type: AnyClass) -> String {
            let names = String(reflecting: type).split(separator: ".")
            guard names.count > 2 else { return Foundation.NSStringFromClass(type) }
            if names.contains(where: { $0.contains(" ") }) { return GeneratedClassName.name(of: type) }
            return names[0] + "." + names.dropFirst().joined(separator: "_")
        }

        """

    private static let argumentListText = """
        /// The arguments of a format. A list of C's does not tell their types.
        public struct PortedArguments {
            let values: [any CVarArg]
        }

        public func withVaList<Result>(_ values: [any CVarArg], _ body: (PortedArguments) -> Result) -> Result {
            body(PortedArguments(values: values))
        }

        public func getVaList(_ values: [any CVarArg]) -> PortedArguments { PortedArguments(values: values) }

        public typealias CVaListPointer = PortedArguments

        extension NSPredicate {
            convenience init(format: String, arguments: PortedArguments) {
                self.init(format: format, argumentArray: arguments.values)
            }
        }

        extension NSExpression {
            convenience init(format: String, arguments: PortedArguments) {
                self.init(format: format, argumentArray: arguments.values)
            }
        }

        extension NSString {
            convenience init(format: String, arguments: PortedArguments) {
                self.init(string: String(format: format, arguments: arguments.values))
            }
        }

        """

    private static let resourceListText = """
        extension Bundle {
            /// `urls(forResourcesWithExtension:subdirectory:)`, with values of `URL`.
            func portedURLs(forResourcesWithExtension ext: String?, subdirectory: String?) -> [URL]? {
                urls(forResourcesWithExtension: ext, subdirectory: subdirectory)?.map { $0 as URL }
            }
        }

        """

    private static let expectationText = """
        #if canImport(XCTest)
        import XCTest

        extension XCTestCase {
            /// Waits without a limit, as on Apple's systems.
            func wait(for expectations: [XCTestExpectation], enforceOrder: Bool = false) {
                wait(for: expectations, timeout: 31_536_000, enforceOrder: enforceOrder)
            }

            /// Runs what the main queue has when the wait is over, as on Apple's systems.
            func portedWait(
                for expectations: [XCTestExpectation], timeout: TimeInterval, enforceOrder: Bool = false,
                file: StaticString = #file, line: Int = #line
            ) {
                wait(for: expectations, timeout: timeout, enforceOrder: enforceOrder, file: file, line: line)
                runMainQueue()
            }

            @MainActor @preconcurrency
            func portedWaitForExpectations(
                timeout: TimeInterval, file: StaticString = #file, line: Int = #line,
                handler: XCWaitCompletionHandler? = nil
            ) {
                waitForExpectations(timeout: timeout, file: file, line: line, handler: handler)
                runMainQueue()
            }

            private func runMainQueue() {
                if Thread.isMainThread { RunLoop.main.run(mode: .default, before: Date()) }
            }

            func fulfillment(of expectations: [XCTestExpectation], enforceOrder: Bool = false) async {
                await fulfillment(of: expectations, timeout: 31_536_000, enforceOrder: enforceOrder)
            }
        }
        #endif

        """
}
