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

    private static let known = Mutex<[String: Known]>([:])

    /// Nil for a format that has to be parsed.
    static func template(for format: String) -> FormatTemplate? {
        guard format.utf8.count <= lengthMax else { return nil }
        let usedBefore: Bool
        switch known.withLock({ remember(format, in: &$0) }) {
        case .template(let template): return template
        case .parsedEachTime: return nil
        case .usedOnce: usedBefore = true
        case nil: usedBefore = false
        }
        guard usedBefore else { return nil }
        let template = FormatTemplate(format)
        known.withLock { $0[format] = template.map { .template($0) } ?? .parsedEachTime }
        return template
    }

    private static func remember(_ format: String, in known: inout [String: Known]) -> Known? {
        if let found = known[format] { return found }
        if known.count >= countMax { known.removeAll(keepingCapacity: true) }
        known[format] = .usedOnce
        return nil
    }
}
