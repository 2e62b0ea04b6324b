import FirnInspection
import FirnLog

/// What `firn browse` shows, and what keys do to it: a list of records, newest last, and one record in full.
struct Browser {
    enum View {
        case list
        /// One record's lines, from the one at `top` on.
        case record(lines: [String], top: Int)
    }

    let log: SegmentLog
    /// The store's file name.
    private let name: String
    let path: String
    private var models: ModelLibrary
    private let present: PresentValues
    var view = View.list
    /// The record that the bar is on.
    var selected: SequenceNumber
    /// What is being typed, and what was searched last.
    var prompt: Prompt?
    var sought = ""
    /// What came of the last key, for the last line; gone with the next one.
    var message: String?
    /// The record in the first line of the list.
    private var top: SequenceNumber

    init(_ log: SegmentLog, path: String) {
        self.log = log
        self.path = path
        name = path.split(separator: "/").last.map(String.init) ?? path
        models = ModelLibrary(log)
        present = PresentValues(path, log)
        selected = log.head
        top = log.first
    }

    /// False to end.
    mutating func handle(_ key: Terminal.Key, _ size: Terminal.Size) throws -> Bool {
        try log.refresh()
        message = nil
        if prompt != nil, key != .quit {
            try type(key)
            return true
        }
        let page = max(1, size.rows - 3)
        switch (key, view) {
        case (.quit, _), (.character("q"), .list): return false
        case (.escape, .record), (.character("q"), .record): view = .list
        case (.up, .list), (.character("k"), .list): move(-1)
        case (.down, .list), (.character("j"), .list): move(1)
        case (.pageUp, .list): move(-page)
        case (.pageDown, .list), (.character(" "), .list): move(page)
        case (.home, .list), (.character("g"), .list): move(.min)
        case (.end, .list), (.character("G"), .list): move(.max)
        case (.enter, .list): try show()
        case (.up, .record), (.character("k"), .record): scroll(-1, page)
        case (.down, .record), (.character("j"), .record): scroll(1, page)
        case (.pageUp, .record): scroll(-page, page)
        case (.pageDown, .record), (.character(" "), .record): scroll(page, page)
        case (.left, .record), (.right, .record):
            move(key == .left ? -1 : 1)
            try show()
        case (.character("/"), _): prompt = Prompt(kind: .search)
        case (.character(":"), _): prompt = Prompt(kind: .goTo)
        case (.character("n"), _): try search(forward: true)
        case (.character("N"), _): try search(forward: false)
        default: break
        }
        return true
    }

    private mutating func move(_ step: Int) {
        guard log.first <= log.head else { return }
        let (first, last) = (Int(log.first.rawValue), Int(log.head.rawValue))
        let (moved, overflow) = Int(selected.rawValue).addingReportingOverflow(step)
        let target = overflow ? (step < 0 ? first : last) : min(max(moved, first), last)
        selected = SequenceNumber(UInt64(target))
    }

    private mutating func scroll(_ step: Int, _ page: Int) {
        guard case .record(let lines, let top) = view else { return }
        view = .record(lines: lines, top: min(max(0, top + step), max(0, lines.count - page)))
    }

    mutating func show() throws {
        guard log.first <= selected, selected <= log.head else { return }
        view = .record(lines: try lines(of: log.record(at: selected)), top: 0)
    }

    mutating func lines(of record: LogRecord) throws -> [String] {
        let summary = try RecordSummary(record, &models)
        let header = record.header
        var lines = [
            "date      \(LogDate(header.date).iso8601)",
            "author    \(header.author ?? "-")",
        ]
        lines += summary.details.map { "\($0)  \($1)" } + [""]
        guard case .changes(let changes) = record.body else { return lines + [summary.text(present.lookup(record))] }
        let names = try models.names(at: changes.model)
        let members = RecordMembers(changes, names)
        for group in changes.groups {
            for row in group.primaryKeys.indices {
                let text = LoggedChange(group: group, row: row, names: names, members: members).text()
                lines += text.split(separator: "\n").map(String.init)
            }
        }
        for group in changes.links { lines += LinkChange.all(of: group, names).map(\.text) }
        return lines
    }

    /// The whole screen: as many lines as it has.
    mutating func screen(_ size: Terminal.Size) throws -> [String] {
        let body = max(1, size.rows - 2)
        let title: String
        let help: String
        var lines: [String]
        switch view {
        case .list:
            title = "\(name)  records \(log.first) to \(log.head)"
            help = "↑↓ PgUp PgDn g G  move   Enter  show   /  search   :  go to   q  quit"
            lines = try list(body, size)
        case .record(let all, let top):
            title = "\(name)  record \(selected) of \(log.head)"
            help = "↑↓ PgUp PgDn  scroll   ←→  other record   /  search   q  back"
            lines = all.dropFirst(top).prefix(body).map {
                ScreenText.fitted(Console.printable(ScreenText.plain($0)), size.columns)
            }
        }
        lines += Array(repeating: "", count: max(0, body - lines.count))
        let bars = [title, prompt?.line ?? message ?? help].map {
            "\u{1B}[7m" + ScreenText.fitted(Console.printable($0), size.columns)
        }
        return Array(([bars[0]] + lines + [bars[1]]).prefix(max(1, size.rows)))
    }

    private mutating func list(_ count: Int, _ size: Terminal.Size) throws -> [String] {
        guard log.first <= log.head else { return ["  there are no records"] }
        if selected < log.first { selected = log.first }
        if selected < top { top = selected }
        if selected.rawValue >= top.rawValue + UInt64(count) {
            top = SequenceNumber(selected.rawValue - UInt64(count) + 1)
        }
        top = max(top, log.first)
        var lines: [String] = []
        var number = top
        while number <= log.head, lines.count < count {
            let record = try log.record(at: number)
            let columns = try RecordSummary(record, &models).columns(present.lookup(record))
            let line = ScreenText.fitted(ScreenText.plain(columns), size.columns)
            lines.append(number == selected ? "\u{1B}[7m" + line : line)
            number = number.next
        }
        return lines
    }
}
