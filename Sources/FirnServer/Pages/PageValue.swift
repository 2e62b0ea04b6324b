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

extension ValueText {
    fileprivate var isNumber: Bool {
        guard case .attribute(let kind)? = property?.kind else { return false }
        return switch kind {
        case .integer16, .integer32, .integer64, .double, .float, .decimal: true
        default: false
        }
    }
}
#endif
