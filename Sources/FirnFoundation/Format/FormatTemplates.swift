import Synchronization

/// The templates of the formats that the program has used more than once.
///
/// A format with values written into it is used once and gets no template. When the cache is full it is emptied, so
/// that a program that builds formats has a bounded number of them.
enum FormatTemplates {
    private enum CacheEntry: Sendable {
        case usedOnce
        case template(FormatTemplate)
        case parsedEachTime
    }

    static let countMax = 500
    /// In bytes of UTF-8. A longer format is parsed each time.
    static let lengthMax = 1_000

    private struct State: Sendable {
        var entries: [String: (format: String, entry: CacheEntry)] = [:]
        /// The template that was used last. It is checked first, because the next use is mostly of the same format.
        var last: (format: String, template: FormatTemplate)?
    }

    private static let state = Mutex(State())

    /// Nil for a format that has to be parsed.
    static func template(for format: String) -> FormatTemplate? {
        guard format.utf8.count <= lengthMax else { return nil }
        let entry = state.withLock { state -> CacheEntry? in
            if let last = state.last, PlainText.unitsAreEqual(last.format, format) { return .template(last.template) }
            guard let (known, entry) = state.entries[format] else { return nil }
            // Of the normal forms of one format, which Swift finds equal, one has a template.
            guard PlainText.unitsAreEqual(known, format) else { return .parsedEachTime }
            if case .template(let template) = entry { state.last = (format, template) }
            return entry
        }
        switch entry {
        case .template(let template): return template
        case .parsedEachTime: return nil
        case .usedOnce:
            let template = FormatTemplate(format)
            cache(format, template.map { .template($0) } ?? .parsedEachTime)
            return template
        case nil:
            cache(format, .usedOnce)
            return nil
        }
    }

    private static func cache(_ format: String, _ entry: CacheEntry) {
        state.withLock { state in
            if state.entries.count >= countMax, state.entries[format] == nil {
                state.entries.removeAll(keepingCapacity: true)
            }
            state.entries[format] = (format, entry)
        }
    }
}
