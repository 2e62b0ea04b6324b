import FirnLog

/// One line of the contract that every kind of log keeps, checked on a log of its own.
package struct LogCheck: Sendable, CustomStringConvertible {
    package let description: String
    package let run: @Sendable (any LogHost) throws -> Void

    init(_ description: String, _ run: @escaping @Sendable (any LogHost) throws -> Void) {
        self.description = description
        self.run = run
    }

    package static let all = appending + reading + values + whole

    /// The code of the log's error that `body` throws; nil if it throws none.
    static func code(_ body: () throws -> Void) -> LogError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? LogError)?.code
        }
    }
}
