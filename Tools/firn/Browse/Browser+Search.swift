import FirnInspection
import FirnLog
import Foundation

extension Browser {
    /// A line that a person types at the bottom of the screen.
    struct Prompt {
        enum Kind: String {
            case search = "/"
            case goTo = ":"
        }

        let kind: Kind
        var text = ""

        var line: String { kind.rawValue + text }
    }

    /// A key while there is a prompt: Enter ends it, Escape or deleting its beginning calls it off.
    mutating func type(_ key: Terminal.Key) throws {
        guard var typed = prompt else { return }
        switch key {
        case .enter:
            prompt = nil
            try act(on: typed)
        case .escape: prompt = nil
        case .backspace:
            prompt = nil
            guard !typed.text.isEmpty else { return }
            typed.text.removeLast()
            prompt = typed
        case .character(let character) where character >= " ":
            typed.text.append(character)
            prompt = typed
        default: break
        }
    }

    private mutating func act(on typed: Prompt) throws {
        switch typed.kind {
        case .search:
            if !typed.text.isEmpty { sought = typed.text }
            try search(forward: true)
        case .goTo:
            guard !typed.text.isEmpty else { return }
            do {
                let point = try Point.parse(typed.text)
                try select(try point.record(in: log, of: path))
                message = try point.explanation(in: log)
            } catch let failure as Failure {
                message = failure.message.replacing(path + ": ", with: "")
            } catch {
                message = "\(error)"
            }
        }
    }

    /// Moves the bar; where a record is shown, shows that one.
    private mutating func select(_ sequence: SequenceNumber) throws {
        selected = sequence
        if case .record = view { try show() }
    }

    /// Selects the next record with the text in its line or any of its values, in any case; after the last record
    /// the search begins with the first one.
    ///
    /// Complexity: reads up to all records.
    mutating func search(forward: Bool) throws {
        guard !sought.isEmpty else {
            message = "nothing was searched yet: type / and a text"
            return
        }
        guard log.first <= log.head else { return }
        let wanted = sought.lowercased()
        let (first, count) = (log.first.rawValue, log.head.rawValue - log.first.rawValue + 1)
        let start = min(max(selected.rawValue, first), log.head.rawValue) - first
        for step in 1...count {
            let place = forward ? (start + step) % count : (start + count - step) % count
            let sequence = SequenceNumber(first + place)
            guard try text(of: sequence).contains(wanted) else { continue }
            try select(sequence)
            if step == count { message = "only record \(sequence) has “\(sought)”" }
            return
        }
        message = "no record has “\(sought)”"
    }

    private mutating func text(of sequence: SequenceNumber) throws -> String {
        let lines = try lines(of: log.record(at: sequence))
        return ScreenText.plain(lines.joined(separator: "\n")).lowercased()
    }
}
