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

        /// A text whose interpolations say how private they are.
        public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
            public struct StringInterpolation: StringInterpolationProtocol, Sendable {
                var text = ""
                public init(literalCapacity: Int, interpolationCount: Int) {}
                public mutating func appendLiteral(_ literal: String) { text += literal }
                public mutating func appendInterpolation<Value>(
                    _ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto
                ) { text += String(describing: value()) }
            }

            let text: String
            public init(stringLiteral value: String) { text = value }
            public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
        }

        public struct Logger: Sendable {
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

        public final class OSLog: Sendable {
            public static let `default` = OSLog(subsystem: "", category: "")
            public static let disabled = OSLog(subsystem: "", category: "")
            public init(subsystem: String, category: String) {}

            static func write(_ type: OSLogType, _ text: String) {
                guard type.rank >= OSLogType.error.rank else { return }
                FileHandle.standardError.write(Data((text + "\\n").utf8))
            }
        }

        public func os_log(
            _ message: String, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
            _ arguments: Any...
        ) { OSLog.write(type, ([message] + arguments.map { String(describing: $0) }).joined(separator: " ")) }

        public func os_log(
            _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: String,
            _ arguments: Any...
        ) { OSLog.write(type, ([message] + arguments.map { String(describing: $0) }).joined(separator: " ")) }

        """
}
