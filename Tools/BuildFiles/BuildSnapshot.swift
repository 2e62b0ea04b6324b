package import Foundation

/// The sources that a tool read in its last run, with which the next run finds what changed.
///
/// The context is all else that the outputs depend on, and the outputs themselves. A snapshot of another context or
/// that is damaged is ignored.
package struct BuildSnapshot {
    private let path: String

    /// - Parameter output: the path of a file that the tool writes; the snapshot is next to it.
    package init(besides output: String) { path = output + ".snapshot" }

    /// Returns the numbers and the former contents of the sources that changed; nil if there is no snapshot of the
    /// context. Removes the snapshot, so that a run that is stopped leaves none.
    package func removeChanges(_ context: [Data], _ sources: [Data]) -> [(number: Int, before: Data)]? {
        let parts = read()
        try? FileManager.default.removeItem(atPath: path)
        guard parts.count == context.count + sources.count, parts.starts(with: context) else { return nil }
        return sources.indices.filter { parts[context.count + $0] != sources[$0] }
            .map { ($0, parts[context.count + $0]) }
    }

    package func write(_ context: [Data], _ sources: [Data]) throws {
        let parts = context + sources
        var snapshot = Data((parts.map { "\($0.count)" }.joined(separator: " ") + "\n").utf8)
        for part in parts { snapshot.append(part) }
        try snapshot.write(to: URL(fileURLWithPath: path))
    }

    /// The parts, whose sizes are in the first line; none if the file is damaged.
    private func read() -> [Data] {
        guard let data = FileManager.default.contents(atPath: path), let end = data.firstIndex(of: UInt8(ascii: "\n"))
        else { return [] }
        let sizes = String(decoding: data[..<end], as: UTF8.self).split(separator: " ").map { UInt32($0) ?? .max }
        guard sizes.reduce(0, { $0 + Int($1) }) == data.count - end - 1 else { return [] }
        var start = end + 1
        return sizes.map { size in
            defer { start += Int(size) }
            return data[start..<start + Int(size)]
        }
    }
}
