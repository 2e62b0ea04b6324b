import Foundation

/// Understands what `git log --raw -z` writes in `format`, a token at a time.
///
///     \u{1}<commit> NUL <parents> NUL <name> NUL <email> NUL <time> NUL <time> NUL <subject> NUL
///     ⏎:<mode> <mode> <blob> <blob> <letter> NUL <path> NUL  :<mode> … NUL <path> NUL   NUL  \u{1}<commit> …
///
/// The header has a fixed number of tokens and a path always follows its colon, so nothing that stands in a message
/// or a path can be taken for something else. A commit is complete when the next one begins.
///
/// The raw format: https://git-scm.com/docs/git-diff-index#_raw_output_format
package struct GitLogParser {
    /// What to pass as `--format`.
    package static let format = "%x01%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%s"

    private enum State {
        case between
        case header(field: Int)
        case path(GitEntry?)
    }

    private var state = State.between
    private var commit: GitCommit?

    package init() {}

    /// Takes a token, without its NUL. Gives the commit that it completes, if any.
    package mutating func take(_ token: ArraySlice<UInt8>) throws -> GitCommit? {
        switch state {
        case .header(let field):
            take(header: token, field: field)
            state = field == 6 ? .between : .header(field: field + 1)
            return nil
        case .path(let entry):
            commit?.changes.append(GitChange(path: GitPath(token), entry: entry))
            state = .between
            return nil
        case .between:
            let token = token.drop { $0 == UInt8(ascii: "\n") }
            switch token.first {
            case nil: return nil
            case 1:
                guard let identifier = Hex.data(token.dropFirst()) else { throw unexpected(token) }
                defer { commit = GitCommit(identifier: identifier) }
                state = .header(field: 1)
                return commit
            case UInt8(ascii: ":"):
                state = .path(try entry(token))
                return nil
            default: throw unexpected(token)
            }
        }
    }

    /// The last commit; to be called when there is no more.
    package mutating func finish() throws -> GitCommit? {
        guard case .between = state else {
            throw DemoError("git log ended in the middle of a commit")
        }
        defer { commit = nil }
        return commit
    }

    private mutating func take(header token: ArraySlice<UInt8>, field: Int) {
        guard var commit else { return }
        self.commit = nil  // so that the changes below are in place
        switch field {
        case 1:
            let parent = token.prefix { $0 != UInt8(ascii: " ") }
            commit.firstParent = parent.isEmpty ? nil : Hex.data(parent)
        case 2: commit.authorName = text(token)
        case 3: commit.authorEmail = text(token)
        case 4: commit.authored = date(token)
        case 5: commit.committed = date(token)
        default: commit.subject = text(token)
        }
        self.commit = commit
    }

    /// `:<old mode> <new mode> <old blob> <new blob> <letter>`; nil for a path that is gone.
    private func entry(_ token: ArraySlice<UInt8>) throws -> GitEntry? {
        let fields = token.split(separator: UInt8(ascii: " "))
        guard fields.count == 5, let mode = Int32(text(fields[1]), radix: 8),
            let blob = Hex.data(fields[3])
        else { throw unexpected(token) }
        return mode == 0 ? nil : GitEntry(mode: mode, blob: blob)
    }

    private func text(_ token: ArraySlice<UInt8>) -> String {
        String(decoding: token, as: UTF8.self)
    }

    /// A time that git itself could not read is empty, and stands for 1970.
    private func date(_ token: ArraySlice<UInt8>) -> Date {
        Date(timeIntervalSince1970: Double(text(token)) ?? 0)
    }

    private func unexpected(_ token: ArraySlice<UInt8>) -> DemoError {
        DemoError("git log said something unexpected: \(text(token.prefix(80)).debugDescription)")
    }
}
