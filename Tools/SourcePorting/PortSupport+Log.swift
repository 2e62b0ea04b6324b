extension PortSupport {
    /// Apple's `os`: what a model layer logs goes to standard error, from errors on.
    static let logText = """
        public struct OSLogType: Equatable, Sendable {
            let rank: Int
            public static let debug = OSLogType(rank: 0), info = OSLogType(rank: 1), `default` = OSLogType(rank: 2)
            public static let error = OSLogType(rank: 3), fault = OSLogType(rank: 4)
        }

        public struct OSLogPrivacy: Sendable {
            public static let `public` = OSLogPrivacy(), `private` = OSLogPrivacy(), sensitive = OSLogPrivacy()
            public static let auto = OSLogPrivacy()
        }

        public struct OSLogFloatFormatting: Sendable {
            let precision: Int?
            public static let fixed = OSLogFloatFormatting(precision: 6)
            public static func fixed(precision: Int) -> OSLogFloatFormatting { .init(precision: precision) }
            public static let exponential = OSLogFloatFormatting(precision: nil)
            func text(_ value: Double) -> String {
                precision.map { String(format: "%.\\($0)f", value) } ?? String(describing: value)
            }
        }

        public struct OSLogIntegerFormatting: Sendable {
            let radix: Int
            public static let decimal = OSLogIntegerFormatting(radix: 10), hex = OSLogIntegerFormatting(radix: 16)
            public static let octal = OSLogIntegerFormatting(radix: 8)
        }

        /// A text whose interpolations say how private they are.
        public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
            public struct StringInterpolation: StringInterpolationProtocol, Sendable {
                var text = ""
                public init(literalCapacity: Int, interpolationCount: Int) {}
                public mutating func appendLiteral(_ literal: String) { text += literal }
                public mutating func appendInterpolation<Value>(
                    _ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto
                ) { text += String(describing: value()) }
                public mutating func appendInterpolation<Value: BinaryFloatingPoint>(
                    _ value: @autoclosure () -> Value, format: OSLogFloatFormatting, privacy: OSLogPrivacy = .auto
                ) { text += format.text(Double(value())) }
                public mutating func appendInterpolation<Value: BinaryInteger>(
                    _ value: @autoclosure () -> Value, format: OSLogIntegerFormatting, privacy: OSLogPrivacy = .auto
                ) { text += String(value(), radix: format.radix) }
            }

            let text: String
            public init(stringLiteral value: String) { text = value }
            public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
        }

        public final class OSLog: Sendable {
            public static let `default` = OSLog(subsystem: "", category: "")
            public static let disabled = OSLog(subsystem: "", category: "")
            public init(subsystem: String, category: String) {}

            static func write(_ type: OSLogType, _ parts: [String]) { write(type, parts.joined(separator: " ")) }

            static func write(_ type: OSLogType, _ text: String) {
                guard type.rank >= OSLogType.error.rank else { return }
                FileHandle.standardError.write(Data((text + "\\n").utf8))
            }
        }

        public func os_log(
            _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
            _ arguments: Any...
        ) { OSLog.write(type, ["\\(message)"] + arguments.map { String(describing: $0) }) }

        public func os_log(
            _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
            _ arguments: Any...
        ) { OSLog.write(type, ["\\(message)"] + arguments.map { String(describing: $0) }) }

        public func os_log(_ message: OSLogMessage) {}
        public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
            OSLog.write(type, message.text)
        }

        public struct OSSignpostID: Hashable, Sendable {
            public static let exclusive = OSSignpostID(1), invalid = OSSignpostID(0), null = OSSignpostID(0)
            public let rawValue: UInt64
            public init(_ value: UInt64) { rawValue = value }
            public init(log: OSLog, object: AnyObject? = nil) { rawValue = 1 }
        }

        public enum OSSignpostType: Sendable { case begin, end, event }

        /// Nobody records signposts here.
        public func os_signpost(
            _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
            signpostID: OSSignpostID = .exclusive, _ format: StaticString = "", _ arguments: Any...
        ) {}

        """

    /// `os.Logger`, which is `Logger` too where the target declares none of its own.
    static let qualifiedLoggerText = """
        public struct PortedLogger: Sendable {
            public init() {}
            public init(_ log: OSLog) {}
            public init(subsystem: String, category: String) {}
            public func log(_ message: OSLogMessage) {}
            public func log(level: OSLogType, _ message: OSLogMessage) { OSLog.write(level, message.text) }
            public func trace(_ message: OSLogMessage) {}
            public func debug(_ message: OSLogMessage) {}
            public func info(_ message: OSLogMessage) {}
            public func notice(_ message: OSLogMessage) {}
            public func warning(_ message: OSLogMessage) { OSLog.write(.error, message.text) }
            public func error(_ message: OSLogMessage) { OSLog.write(.error, message.text) }
            public func critical(_ message: OSLogMessage) { OSLog.write(.fault, message.text) }
            public func fault(_ message: OSLogMessage) { OSLog.write(.fault, message.text) }
        }

        """

    /// The lock of `os`, with a state or without.
    static let lockText = """
        public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
            private final class Storage {
                let lock = NSLock()
                var state: State
                init(_ state: State) { self.state = state }
            }

            private let storage: Storage
            public init(uncheckedState state: State) { storage = Storage(state) }
            public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
                storage.lock.lock()
                defer { storage.lock.unlock() }
                return try body(&storage.state)
            }
            public func withLock<Result: Sendable>(
                _ body: @Sendable (inout State) throws -> Result
            ) rethrows -> Result { try withLockUnchecked(body) }
            public func withLockIfAvailable<Result: Sendable>(
                _ body: @Sendable (inout State) throws -> Result
            ) rethrows -> Result? {
                guard storage.lock.try() else { return nil }
                defer { storage.lock.unlock() }
                return try body(&storage.state)
            }
        }

        extension OSAllocatedUnfairLock where State: Sendable {
            public init(initialState state: State) { self.init(uncheckedState: state) }
        }

        extension OSAllocatedUnfairLock where State == () {
            public init() { self.init(uncheckedState: ()) }
            public func lock() { storage.lock.lock() }
            public func unlock() { storage.lock.unlock() }
            public func lockIfAvailable() -> Bool { storage.lock.try() }
            public func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
                try withLockUnchecked { _ in try body() }
            }
            public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
                try withLockUnchecked { _ in try body() }
            }
        }

        """
}
