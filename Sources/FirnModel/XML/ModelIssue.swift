public import Foundation

/// Something that reading a model found, with its place.
public struct ModelIssue: Hashable, Sendable, CustomStringConvertible {
    /// Whether a model can be used in spite of an issue.
    public enum Severity: String, Sendable {
        /// The model loads. The part was preserved, or replaced as the message says.
        case warning
        /// The model does not load.
        case error
    }

    /// Whether the model can be used.
    public var severity: Severity
    /// The sentence for a person.
    public var message: String
    /// The path of the file.
    public var file: String
    /// The line, counted from 1; 0 if the issue is with the file as a whole.
    public var line: Int

    /// An issue at a place of a model's file.
    public init(_ severity: Severity, _ message: String, _ file: String, _ line: Int = 0) {
        self.severity = severity
        self.message = message
        self.file = file
        self.line = line
    }

    /// One line: `file:line: severity: message`.
    public var description: String {
        "\(file)\(line > 0 ? ":\(line)" : ""): \(severity.rawValue): \(message)"
    }
}

/// A model could not be read. `issues` lists all problems and holds at least one error.
public struct ModelFileError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// Everything that is wrong in the file.
    public var issues: [ModelIssue]

    /// An error with its issues.
    public init(issues: [ModelIssue]) { self.issues = issues }

    public var description: String {
        issues.filter { $0.severity == .error }.map(\.description).joined(separator: "\n")
    }

    public var errorDescription: String? { description }
}
