package import FirnLog

/// What opening a store asks of the world around it. Tests hand in another one.
package struct StoreSurroundings: Sendable {
    /// Moments of a migration at which it could be interrupted.
    package enum Moment: Sendable {
        /// The new tables are ready beside the old ones.
        case prepared
        /// The record is durable.
        case recorded
        /// The new tables are in place.
        case placed
    }

    /// Where logs of stores on disk are.
    package var fileSystem: any FileSystem = PosixFileSystem()
    /// Hears of each moment; what it throws is what happens there.
    package var reached: @Sendable (Moment) throws -> Void = { _ in }

    package init() {}

    @TaskLocal package static var current = StoreSurroundings()
}
