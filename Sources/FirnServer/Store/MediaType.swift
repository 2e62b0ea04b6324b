#if Server
import FirnInspection
import FirnLog

/// The kind of a binary value, by its first bytes.
struct MediaType {
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

    var words: String { name.map { ", \($0)" } ?? "" }

    /// Nil for a value that is not binary.
    init?(_ value: ValueText) {
        guard case .blob(let bytes) = value.value, !value.isUUID else { return nil }
        let first = value.names.firstBytes(Self.firstCount, of: bytes)
        let found = Self.known.first { first.starts(with: $0.bytes) }
        let isObject = first.first == UInt8(ascii: "{") || first.first == UInt8(ascii: "[")
        isJSON = isObject && bytes.count <= Self.jsonMax
            && (try? JSON(parsing: String(decoding: bytes, as: UTF8.self))) != nil
        name = found?.name
        mediaType = found?.mediaType ?? (isJSON ? "application/json" : "application/octet-stream")
    }
}

extension ValueText {
    fileprivate var isUUID: Bool { if case .attribute(.uuid)? = property?.kind { true } else { false } }
}
#endif
