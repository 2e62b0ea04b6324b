public import FirnLog
public import Foundation

// Errors of the log, which does without Foundation, say what they are to those who ask for a localized description.

extension LogError: LocalizedError {
    public var errorDescription: String? { description }
}

extension FileError: LocalizedError {
    public var errorDescription: String? { description }
}

extension SignedCheckpoint.Failure: LocalizedError {
    public var errorDescription: String? { description }
}
