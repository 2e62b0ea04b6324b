import FirnModel
import Foundation

/// Reads what attributes keep that may store their data in files.
///
///     01, the data               data in the row
///     02, a file's name, 00      data in `.Name_SUPPORT/_EXTERNAL_DATA/`, next to `Name.sqlite`
///
/// Anything else is data that was there before the attribute might have files. Measured.
struct AppleExternalData {
    private let folder: URL
    private let store: URL
    private let skipsMissing: Bool

    init(store: URL, skipsMissing: Bool) {
        self.store = store
        self.skipsMissing = skipsMissing
        let name = store.deletingPathExtension().lastPathComponent
        folder = store.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
    }

    enum Value {
        case inline([UInt8])
        case external([UInt8])
        /// The file is not there, and that is no error.
        case missing(String)
    }

    /// - Parameter place: the entity, key and attribute, for errors.
    func value(_ bytes: [UInt8], _ place: @autoclosure () -> String) throws -> Value {
        switch bytes.first {
        case 1: return .inline(Array(bytes.dropFirst()))
        case 2:
            let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            guard !name.isEmpty, !name.contains("/") else { return .inline(bytes) }
            let file = folder.appendingPathComponent(name)
            do {
                return .external([UInt8](try Data(contentsOf: file)))
            } catch {
                if skipsMissing { return .missing(name) }
                throw AppleStoreError(
                    .missingExternalData,
                    "the file of \(place()) is missing or cannot be read; put the folder that belongs to the store "
                        + "next to it, or skip such values", path: file.path, underlying: error)
            }
        default: return .inline(bytes)
        }
    }
}
