import Testing

/// Saves are made without the writer's lock: others may write in between. What is interrupted is the process's, so
/// these run one after the other.
@Suite("Saves that others interrupt", .serialized)
enum InterruptedTests {}
