import FirnLog

/// The log's error that `body` fails with; nil if it does not fail.
func logError(_ body: () throws -> some Any) -> LogError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? LogError
    }
}
