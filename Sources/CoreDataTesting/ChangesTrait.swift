import CoreData
import Synchronization
public import Testing

/// Shows with each failure of a test what was saved into the forks that the test made; see `printsChanges`.
public struct ChangesTrait: TestTrait, SuiteTrait, TestScoping {
    public let isRecursive = true

    /// The forks of one test.
    private final class Forks: Sendable {
        private let coordinators = Mutex<[NSPersistentStoreCoordinator]>([])

        func append(_ coordinator: NSPersistentStoreCoordinator) { coordinators.withLock { $0.append(coordinator) } }

        /// Nil if there are none.
        var comment: Comment? {
            let coordinators = coordinators.withLock { $0 }
            if coordinators.isEmpty { return nil }
            let texts = coordinators.enumerated().map { index, coordinator in
                let number = coordinators.count == 1 ? "" : " \(index + 1)"
                return "Saved into the fork\(number):\n" + coordinator.changes()
            }
            return Comment(rawValue: texts.joined(separator: "\n"))
        }
    }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let forks = Forks()
        let issues = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            if let comment = forks.comment { issue.comments.append(comment) }
            return issue
        }
        try await ForkObserver.$current.withValue({ forks.append($0) }) {
            try await issues.provideScope(for: test, testCase: testCase, performing: function)
        }
    }
}

extension Trait where Self == ChangesTrait {
    /// Shows with each failure what was saved into the forks that the test made, save by save.
    ///
    ///     @Suite(.printsChanges) struct ShelfTests {
    ///         let container: NSPersistentContainer
    ///         init() throws { container = try Fixture.library.fork() }
    ///
    /// The forks are those that `fork()` made in the test's own task, also by SwiftData. They stay until the test ends.
    public static var printsChanges: Self { Self() }
}
