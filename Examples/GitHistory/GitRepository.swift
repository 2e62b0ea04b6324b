package import Foundation

/// A git repository, asked through the `git` program.
package struct GitRepository {
    package let path: String

    /// Throws if there is no repository at `path`, or git may not read it.
    package init(_ path: String) throws {
        self.path = path
        do {
            _ = try output("rev-parse", "--git-dir")
        } catch let error as DemoError {
            throw DemoError(
                "\(path): not a git repository that can be read (\(error.message)); "
                    + "name one, for example a clone of any project")
        }
    }

    /// Nil in a repository without a commit.
    package func head() throws -> Data? {
        guard let line = try? output("rev-parse", "--verify", "--quiet", "HEAD^{commit}") else {
            return nil
        }
        return Hex.data(line.utf8.prefix { $0 != UInt8(ascii: "\n") })
    }

    /// Whether the commit is in the repository, on whatever branch.
    package func has(_ commit: Data) throws -> Bool {
        (try? output("cat-file", "-e", Hex.text(commit) + "^{commit}")) != nil
    }

    /// How many commits the first-parent history has, or has after `commit`.
    package func commitCount(after commit: Data? = nil) throws -> Int {
        guard try head() != nil else { return 0 }
        let line = try output("rev-list", "--first-parent", "--count", range(after: commit))
        return Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    /// Calls `body` with each commit of the first-parent history, oldest first. What `body` throws ends the reading.
    package func forEachCommit(after commit: Data? = nil, _ body: (GitCommit) throws -> Void) throws
    {
        guard try head() != nil else { return }
        // Each option undoes a setting with which a person's configuration would change what is printed.
        try forEachToken([
            "-c", "log.showRoot=true", "-c", "log.showSignature=false", "log", "--first-parent",
            "--reverse",
            "-m", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-color", "--no-relative",
            "-O/dev/null",
            "--ignore-submodules=none", "--encoding=UTF-8", "--no-mailmap", "--no-decorate",
            "--format=" + GitLogParser.format, range(after: commit), "--",
        ]) { tokens in
            var parser = GitLogParser()
            while let token = try tokens.next() {
                if let commit = try parser.take(token) { try body(commit) }
            }
            if let commit = try parser.finish() { try body(commit) }
        }
    }

    /// Every file, link and submodule of a commit, by path.
    package func tree(of commit: Data) throws -> [GitPath: GitEntry] {
        var tree: [GitPath: GitEntry] = [:]
        try forEachToken(["ls-tree", "-r", "-z", "--full-tree", Hex.text(commit)]) { tokens in
            while let token = try tokens.next() {
                // <mode> <type> <blob> TAB <path>
                let tab = token.firstIndex(of: UInt8(ascii: "\t")) ?? token.endIndex
                let fields = token[..<tab].split(separator: UInt8(ascii: " "))
                guard tab < token.endIndex, fields.count == 3, let blob = Hex.data(fields[2]),
                    let mode = Int32(String(decoding: fields[0], as: UTF8.self), radix: 8)
                else { throw DemoError("git ls-tree said something unexpected") }
                tree[GitPath(token[(tab + 1)...])] = GitEntry(mode: mode, blob: blob)
            }
        }
        return tree
    }

    private func range(after commit: Data?) -> String {
        commit.map { Hex.text($0) + "..HEAD" } ?? "HEAD"
    }

    private func forEachToken(_ arguments: [String], _ body: (inout TokenReader) throws -> Void)
        throws
    {
        let process = git(arguments)
        let pipe = Pipe()
        process.standardOutput = pipe
        try start(process)
        do {
            var tokens = TokenReader(pipe.fileHandleForReading.fileDescriptor)
            try withExtendedLifetime(pipe) { try body(&tokens) }
        } catch {
            process.terminate()
            throw error
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw DemoError("\(path): git ended with status \(process.terminationStatus)")
        }
    }

    /// What a short command prints; throws the first line of what it complains of.
    private func output(_ arguments: String...) throws -> String {
        let process = git(arguments)
        let output = Pipe()
        let complaints = Pipe()
        process.standardOutput = output
        process.standardError = complaints
        try start(process)
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let said = complaints.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let line = String(decoding: said, as: UTF8.self).split(separator: "\n").first
            throw DemoError(
                line.map(String.init) ?? "git ended with status \(process.terminationStatus)")
        }
        return text
    }

    private func git(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Replacement objects would show a history that the trees do not have.
        process.arguments = ["git", "--no-replace-objects", "-C", path] + arguments
        process.standardInput = FileHandle.nullDevice
        return process
    }

    private func start(_ process: Process) throws {
        do { try process.run() } catch {
            throw DemoError("git cannot be started: \(error.localizedDescription)")
        }
    }
}
