import Foundation

extension Archive {
    /// Brings a module's members up to date, in the library next to this tool and in those of the same configuration
    /// for other processors: `.build/x86_64-unknown-linux-gnu/debug`. A member whose source is the same is left alone,
    /// and so is a library of which all are.
    ///
    /// - Returns: the accessors of the files some of whose need Swift, and whether there are any others.
    static func update(
        prefix: String, _ files: [FileAccessors], besides tool: URL
    ) throws -> (inSwift: [Accessor], isEmpty: Bool) {
        var inSwift: [Accessor] = []
        for (path, processor) in libraries(besides: tool) {
            inSwift = try update(path, prefix, files, processor)
        }
        return (inSwift, files.isEmpty)
    }

    /// A text that says which members of a module each library has, and of what versions.
    static func stamps(_ prefix: String, besides tool: URL) -> String {
        libraries(besides: tool).map { path, _ in
            guard let data = FileManager.default.contents(atPath: path) else { return "" }
            let members = Archive(Array(data)).members.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
            return path + members.map { " \($0.key) \($0.value.stamp)" }.joined()
        }.joined(separator: "\n")
    }

    /// The library next to the tool and those for other processors, in order.
    private static func libraries(besides tool: URL) -> [(path: String, processor: Processor)] {
        let folder = tool.deletingLastPathComponent()
        let builds = folder.deletingLastPathComponent().deletingLastPathComponent()
        let platforms = (try? FileManager.default.contentsOfDirectory(atPath: builds.path)) ?? []
        let folders = Set(platforms.map { builds.path + "/" + $0 + "/" + folder.lastPathComponent } + [folder.path])
        return folders.sorted().filter { FileManager.default.fileExists(atPath: $0) }.map { folder in
            let platform = URL(fileURLWithPath: folder).deletingLastPathComponent().lastPathComponent
            return (folder + "/" + fileName, Processor.allCases.first { platform.hasPrefix($0.rawValue) } ?? .host)
        }
    }

    /// Other modules' runs of this tool may be at the same library: one at a time, and never half of it to see.
    private static func update(
        _ path: String, _ prefix: String, _ files: [FileAccessors], _ processor: Processor
    ) throws -> [Accessor] {
        let lock = open(path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
        defer { close(lock) }
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
            throw SourceError(file: path, line: 0, message: "cannot be locked: \(String(cString: strerror(errno)))")
        }
        let old = try? Data(contentsOf: URL(fileURLWithPath: path))
        var archive = Archive(old.map { Array($0) } ?? [])
        var isChanged = old == nil
        var inSwift: [Accessor] = []
        for file in files {
            let member = archive.members[file.name]
            if let member, member.stamp == file.stamp, !member.needsSource { continue }
            let accessors = try file.accessors()
            let needsSource = accessors.contains { $0.source != nil }
            if needsSource { inSwift += accessors }
            if member?.stamp == file.stamp { continue }
            let object = AccessorObject(accessors, processor)
            archive.members[file.name] = Member(
                stamp: file.stamp, needsSource: needsSource, bytes: object.bytes(), names: object.definedNames)
            isChanged = true
        }
        let names = Set(files.map(\.name))
        for name in Array(archive.members.keys) where name.hasPrefix(prefix) && !names.contains(name) {
            archive.members[name] = nil
            isChanged = true
        }
        if isChanged { try Data(archive.bytes()).write(to: URL(fileURLWithPath: path), options: .atomic) }
        return inSwift
    }
}
