package import FirnLog
import Foundation

/// What a store asks of the world around it. Tests hand in another one.
package struct TestHooks: Sendable {
    /// Moments at which a migration, the replacing or destroying of a store, or a save could be interrupted.
    package enum Moment: Sendable {
        /// The new tables are ready in a second file.
        case prepared
        /// The record is durable.
        case recorded
        /// The new tables are in place.
        case placed
        /// The log that takes the place of another is complete, under a temporary name.
        case copied
        /// The tables of the store that goes are gone.
        case tablesRemoved
        /// The log has gone, or another has taken its place.
        case logReplaced
        /// What follows from a transaction is computed, and is not appended yet.
        case computed
    }

    /// Where logs of stores on disk are.
    package var fileSystem: any FileSystem = PosixFileSystem()
    /// Hears of each moment; what it throws is what happens there.
    package var reached: @Sendable (Moment) throws -> Void = { _ in }

    /// Prints a warning for the person who runs the program.
    package var warn: @Sendable (String) -> Void = { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }

    package init() {}

    @TaskLocal package static var current = TestHooks()
}
