#if Server
import FirnInspection
import FirnLog

/// A property's value on a page: objects as links, images as pictures, binary values as size and type.
struct PageValue {
    /// The property of an object, as the address of its value's bytes.
    struct Place {
        let object: String
        let property: String

        func href(_ pages: PageLibrary, asOf: UInt64?) -> String {
            "\(pages.base)/v1/objects/\(object)/values/\(QueryParameters.encoded(property))"
                + (asOf.map { "?as-of=\($0)" } ?? "")
        }
    }

    /// The characters of a text that are shown: of a value alone, of one among many, of one that was found, and in a
    /// table's cell.
    enum Length: Int {
        case long = 5000
        case short = 500
        case line = 120
        case cell = 60
    }

    let isNil: Bool
    let isText: Bool
    /// Not `href`: templates look a missing name up further out, where rows have theirs.
    let link: String?
    /// The address of a picture.
    let image: String?
    /// The address of another binary value.
    let download: String?
    /// The address of a text of which the beginning is shown.
    let whole: String?
    /// The date as ISO 8601.
    let moment: String?
    let text: String
    /// The text in parts, of which those that differ from another text are marked; none where all or nothing does.
    private(set) var parts: [Part] = []
    let `class`: String

    /// A part of a text, under names that a value does not have.
    struct Part {
        let words: String
        let isMarked: Bool
    }

    /// - Parameters:
    ///   - asOf: the record at which links to objects point; nil for now.
    ///   - place: where the value is, for a binary one to be looked at.
    ///   - titles: objects by what people know them by.
    init(
        _ value: ValueText, _ pages: PageLibrary, asOf: UInt64?, of place: Place? = nil, _ length: Length = .short,
        titles: [String: String] = [:]
    ) {
        isNil = value.value.isNull
        let kind = MediaType(value)
        let file = kind == nil ? nil : place?.href(pages, asOf: asOf)
        image = kind?.isImage ?? false ? file : nil
        download = image == nil ? file : nil
        if value.isReference {
            let object = value.text ?? ""
            text = titles[object] ?? object
            (link, moment, whole) = (pages.object(object, asOf: asOf), nil, nil)
        } else {
            let all = isNil ? "" : Self.text(value, kind)
            link = nil
            moment = value.isDate && all.hasSuffix("Z") ? all : nil
            let shown = PageText.cut(all, length.rawValue) { whole in
                length.rawValue <= Length.line.rawValue ? "…" : "… (\(whole.count) characters)"
            }
            whole = shown != all && length != .cell ? place?.href(pages, asOf: asOf) : nil
            text = moment.map(Self.words) ?? shown
        }
        isText = !isNil && link == nil && image == nil && moment == nil
        self.class = kind != nil ? "data" : value.isNumber ? "number" : "text"
    }

    /// `2026-11-21 05:21:33`, with the fraction of a second if there is one.
    private static func words(_ date: String) -> String {
        let text = date.replacing("T", with: " ").dropLast()
        return String(text.hasSuffix(".000000") ? text.dropLast(7) : text)
    }

    private static func text(_ value: ValueText, _ kind: MediaType?) -> String {
        if case .blob(let bytes) = value.value, let kind {
            if let external = ExternalReference(bytes: bytes) {
                return "\(external.size) bytes in a file of its own" + kind.words
            }
            return kind.isJSON ? String(decoding: bytes, as: UTF8.self) : "\(bytes.count) bytes" + kind.words
        }
        return value.text ?? ""
    }

    /// The length that a cell would have: where long ones go behind the others.
    var length: Int { image != nil || download != nil ? .max : text.count }
}

extension PageValue {
    /// Marks the words by which two texts differ, between those that both begin and end with.
    static func mark(_ old: inout PageValue?, _ new: inout PageValue?) {
        guard let before = old, let after = new, before.isText, after.isText, before.class == "text" else { return }
        let (words, others) = (before.text.split(separator: " ", omittingEmptySubsequences: false),
            after.text.split(separator: " ", omittingEmptySubsequences: false))
        let shorter = min(words.count, others.count)
        let head = zip(words, others).prefix { $0 == $1 }.count
        let tail = min(zip(words.reversed(), others.reversed()).prefix { $0 == $1 }.count, shorter - head)
        guard head + tail > 0 else { return }
        func parts(_ words: [Substring]) -> [Part] {
            let end = words.count - tail
            let texts = [words[..<head], words[head..<end], words[end...]].map { $0.joined(separator: " ") }
            // The spaces between them go with the parts that stay.
            return [
                Part(words: texts[0] + (head > 0 && head < words.count ? " " : ""), isMarked: false),
                Part(words: texts[1], isMarked: true),
                Part(words: (tail > 0 && end > head ? " " : "") + texts[2], isMarked: false),
            ].filter { !$0.words.isEmpty }
        }
        old?.parts = parts(words)
        new?.parts = parts(others)
    }

    /// The approximate bytes on a page.
    var size: Int { PageText.size(text.unicodeScalars) + 100 }
}

extension ValueText {
    fileprivate var isDate: Bool { if case .attribute(.date)? = property?.kind { true } else { false } }

    fileprivate var isNumber: Bool {
        guard case .attribute(let kind)? = property?.kind else { return false }
        return switch kind {
        case .integer16, .integer32, .integer64, .double, .float, .decimal: true
        default: false
        }
    }
}
#endif
