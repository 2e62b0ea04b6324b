import Synchronization

/// The templates of the formats that the program has used more than once.
///
/// A format with values written into it is used once, and costs no template. When many formats are known all are
/// forgotten, so that a program that makes them up holds a bounded number.
enum FormatTemplates {
    private enum Known: Sendable {
        case usedOnce
        case template(FormatTemplate)
        case parsedEachTime
    }

    static let countMax = 500
    /// In bytes of UTF-8. A longer format is parsed each time.
    static let lengthMax = 1_000

    private struct State: Sendable {
        var known: [String: Known] = [:]
        /// The one that was used last, which mostly is the next too.
        var last: (format: String, template: FormatTemplate)?
    }

    private static let state = Mutex(State())

    /// Nil for a format that has to be parsed.
    static func template(for format: String) -> FormatTemplate? {
        guard format.utf8.count <= lengthMax else { return nil }
        let known = state.withLock { state -> Known? in
            if let last = state.last, last.format == format { return .template(last.template) }
            let known = state.known[format]
            if case .template(let template)? = known { state.last = (format, template) }
            return known
        }
        switch known {
        case .template(let template): return template
        case .parsedEachTime: return nil
        case .usedOnce:
            let template = FormatTemplate(format)
            remember(format, template.map { .template($0) } ?? .parsedEachTime)
            return template
        case nil:
            remember(format, .usedOnce)
            return nil
        }
    }

    private static func remember(_ format: String, _ what: Known) {
        state.withLock { state in
            if state.known.count >= countMax, state.known[format] == nil {
                state.known.removeAll(keepingCapacity: true)
            }
            state.known[format] = what
        }
    }
}
