import FirnInspection
import FirnModel
import Foundation
import ModelGeneration
import SourcePorting

/// The Swift sources below some paths, with the models among them.
struct PortedPaths {
    private(set) var files: [(path: String, text: String)] = []
    let index: PortIndex
    /// The folder of the sources: the first path, or the folder that it is in.
    let folder: String

    init(_ paths: [String]) throws {
        let found = try paths.flatMap(Self.contents).sorted()
        files = try found.filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/" + PortIndex.appliedFile) }.map { path in
            guard let text = try? String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8) else {
                throw Failure("\(path): cannot be read as a text in UTF-8")
            }
            return (path: path, text: text)
        }
        let models = found.filter { $0.hasSuffix(".xcdatamodeld") }
        index = PortIndex(files: files, generated: models.flatMap(Self.generatedClasses))
        let first = paths.first ?? "."
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: first, isDirectory: &isDirectory)
        folder = isDirectory.boolValue ? first : URL(fileURLWithPath: first).deletingLastPathComponent().path
    }

    private static func contents(_ path: String) throws -> [String] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw Failure("\(path): there is no file or folder at this path; name a folder with sources")
        }
        guard isDirectory.boolValue else { return [path] }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.filter { !$0.hasPrefix(".build/") && !$0.contains("/.build/") }
            .map { (path.hasSuffix("/") ? path : path + "/") + $0 }
    }

    /// The text of the classes that a model asks for; none for a model that does not load.
    private static func generatedClasses(_ path: String) -> [String] {
        guard let bundle = try? ModelBundle(contentsOf: URL(fileURLWithPath: path)),
            let model = try? NSManagedObjectModel.load(contentsOf: bundle.current.url).model
        else { return [] }
        return ClassGenerator(model: model).files(.asModelled).map(\.text)
    }
}
