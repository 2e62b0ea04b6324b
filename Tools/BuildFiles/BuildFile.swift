package import Foundation

/// Files that the tools of the plugins read and write.
package enum BuildFile {
    package static func contents(_ path: String) throws -> Data {
        try FileManager.default.contents(atPath: path) ?? Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// - Parameter path: the file that has the contents, for the error.
    package static func text(_ contents: Data, _ path: String) throws -> String {
        guard let text = String(data: contents, encoding: .utf8) else {
            throw CocoaError(.fileReadInapplicableStringEncoding, userInfo: [NSFilePathErrorKey: path])
        }
        return text
    }

    /// Leaves a file alone that has the text, so that it is not compiled again.
    package static func write(_ text: String, to path: String) throws {
        let data = Data(text.utf8)
        if FileManager.default.contents(atPath: path) == data { return }
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// The path, the size and the date of the program that runs.
    package static func toolVersion() throws -> String {
        let tool = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let attributes = try FileManager.default.attributesOfItem(atPath: tool)
        let date = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return "\(tool) \(attributes[.size] ?? 0) \(date)"
    }
}
