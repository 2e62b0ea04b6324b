#if Server
import FirnInspection
import FirnLog

/// A property's value on a page: objects as links, binary values as size and type.
struct PageValue {
    private static let textMax = 20_000

    let isNil: Bool
    let isText: Bool
    /// Not `href`: templates look a missing name up further out, where rows have theirs.
    let link: String?
    let text: String
    let `class`: String

    /// - Parameter asOf: the record at which links to objects point; nil for now.
    init(_ value: ValueText, _ pages: PageLibrary, asOf: UInt64?) {
        isNil = value.value.isNull
        if case .reference = value.value {
            text = value.text ?? ""
            link = pages.object(text, asOf: asOf)
        } else {
            text = isNil ? "" : Self.text(value)
            link = nil
        }
        isText = !isNil && link == nil
        self.class = if case .blob = value.value { "data" } else { "text" }
    }

    private static func text(_ value: ValueText) -> String {
        if case .blob(let bytes) = value.value, !value.isUUID {
            if let external = ExternalReference(bytes: bytes) { return "\(external.size) bytes in a file of its own" }
            return "\(bytes.count) bytes" + (kind(of: bytes).map { ", \($0)" } ?? "")
        }
        let text = value.text ?? ""
        return text.utf8.count <= textMax ? text : text.prefix(textMax) + "… (\(text.count) characters)"
    }

    /// The kind of a file, by its first bytes.
    private static func kind(of bytes: [UInt8]) -> String? {
        let kinds: [([UInt8], String)] = [
            ([0x89, 0x50, 0x4E, 0x47], "PNG image"), ([0xFF, 0xD8, 0xFF], "JPEG image"),
            (Array("GIF8".utf8), "GIF image"), (Array("%PDF".utf8), "PDF document"),
            ([0x50, 0x4B, 3, 4], "ZIP archive"),
            (Array("bplist00".utf8), "binary property list"), ([0x1F, 0x8B], "gzip data"),
        ]
        return kinds.first { bytes.starts(with: $0.0) }?.1
    }
}

extension ValueText {
    fileprivate var isUUID: Bool { if case .attribute(.uuid)? = property?.kind { true } else { false } }
}
#endif
