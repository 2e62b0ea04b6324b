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

    private static let textMax = 20_000

    let isNil: Bool
    let isText: Bool
    /// Not `href`: templates look a missing name up further out, where rows have theirs.
    let link: String?
    /// The address of a picture.
    let image: String?
    /// The address of another binary value.
    let download: String?
    let text: String
    let `class`: String

    /// - Parameters:
    ///   - asOf: the record at which links to objects point; nil for now.
    ///   - place: where the value is, for a binary one to be looked at.
    init(_ value: ValueText, _ pages: PageLibrary, asOf: UInt64?, of place: Place? = nil) {
        isNil = value.value.isNull
        let kind = FileKind(value)
        let file = kind == nil ? nil : place?.href(pages, asOf: asOf)
        image = kind?.isImage ?? false ? file : nil
        download = image == nil ? file : nil
        if case .reference = value.value {
            text = value.text ?? ""
            link = pages.object(text, asOf: asOf)
        } else {
            text = isNil ? "" : Self.text(value, kind)
            link = nil
        }
        isText = !isNil && link == nil && image == nil
        self.class = kind != nil ? "data" : value.isNumber ? "number" : "text"
    }

    private static func text(_ value: ValueText, _ kind: FileKind?) -> String {
        if case .blob(let bytes) = value.value, let kind {
            if let external = ExternalReference(bytes: bytes) {
                return "\(external.size) bytes in a file of its own" + kind.words
            }
            return kind.isJSON ? String(decoding: bytes, as: UTF8.self) : "\(bytes.count) bytes" + kind.words
        }
        let text = value.text ?? ""
        return text.utf8.count <= textMax ? text : text.prefix(textMax) + "… (\(text.count) characters)"
    }

    /// The length that a cell would have: where long ones go behind the others.
    var length: Int { image != nil || download != nil ? .max : text.count }
}

/// What a binary value is, by its first bytes.
struct FileKind {
    private static let firstCount = 16
    private static let jsonMax = 20_000

    private static let known: [(bytes: [UInt8], name: String, mediaType: String)] = [
        ([0x89, 0x50, 0x4E, 0x47], "PNG image", "image/png"), ([0xFF, 0xD8, 0xFF], "JPEG image", "image/jpeg"),
        (Array("GIF8".utf8), "GIF image", "image/gif"), (Array("%PDF".utf8), "PDF document", "application/pdf"),
        ([0x50, 0x4B, 3, 4], "ZIP archive", "application/zip"),
        (Array("bplist00".utf8), "binary property list", "application/octet-stream"),
        ([0x1F, 0x8B], "gzip data", "application/gzip"),
    ]

    /// Nil for bytes that are none of those that are known.
    let name: String?
    let mediaType: String
    let isJSON: Bool

    /// Raster images alone: another kind could run what is in it.
    var isImage: Bool { mediaType.hasPrefix("image/") }

    fileprivate var words: String { name.map { ", \($0)" } ?? "" }

    /// Nil for a value that is not binary.
    init?(_ value: ValueText) {
        guard case .blob(let bytes) = value.value, !value.isUUID else { return nil }
        let first = value.names.firstBytes(Self.firstCount, of: bytes)
        let found = Self.known.first { first.starts(with: $0.bytes) }
        let isObject = first.first == UInt8(ascii: "{") || first.first == UInt8(ascii: "[")
        isJSON = isObject && bytes.count <= Self.jsonMax && (try? JSON(parsing: String(decoding: bytes, as: UTF8.self))) != nil
        name = found?.name
        mediaType = found?.mediaType ?? (isJSON ? "application/json" : "application/octet-stream")
    }
}

extension ValueText {
    fileprivate var isUUID: Bool { if case .attribute(.uuid)? = property?.kind { true } else { false } }

    fileprivate var isNumber: Bool {
        guard case .attribute(let kind)? = property?.kind else { return false }
        return switch kind {
        case .integer16, .integer32, .integer64, .double, .float, .decimal: true
        default: false
        }
    }
}
#endif
