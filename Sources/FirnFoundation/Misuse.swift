/// Stops the program on a programmer's mistake.
///
/// `fatalError` and not `preconditionFailure`, because the latter drops its message from optimised builds.
package func misuse(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    fatalError(message, file: file, line: line)
}
