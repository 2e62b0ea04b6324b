import Firn
import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import FirnSQLite
import FirnStore
import Foundation
import Testing

/// `TidyTests` finds types of errors that have no sentence.
@Suite("Errors of this package")
struct ErrorSentenceTests {
    private static let errors: [any Error] = [
        LogError(.damaged, "A record is damaged.", path: "/a/log", offset: 7, sequence: 3),
        FileError("read it", path: "/a/file", errno: ENOENT),
        SQLiteError(extendedCode: 11, message: "malformed", path: "/a/file"),
        ProjectionError(.damaged, "the tables are damaged", path: "/a/file"),
        UnsupportedPredicate("a == b", "it compares two things"),
        FetchCancelled(),
        ExpressionError("a text cannot be added to"),
        PredicateFormatError(code: .syntax, format: "a =", offset: 3, message: "expected an expression"),
        ModelFileError(issues: [ModelIssue(.error, "an entity has no name", "Model.xcdatamodel", 3)]),
        HistoryConflicts(conflicts: []),
    ]

    @Test("An error's localized description is its sentence, also as an NSError", arguments: errors.indices)
    func sentences(_ index: Int) {
        let error = Self.errors[index]
        #expect(!error.localizedDescription.contains("error 1"))
        #expect(error.localizedDescription == (error as? any LocalizedError)?.errorDescription)
        #expect((error as NSError).localizedDescription == error.localizedDescription)
    }
}
