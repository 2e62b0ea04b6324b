import FirnFoundation
import Foundation

/// An `.xcmappingmodel`, which `XcodeMappingModel` reads, or the `.cdm` that Xcode compiles of it, which
/// `CompiledMappingModel` reads.
struct MappingModelFile {
    private let url: URL

    /// The folder, the XML file in it, or a compiled file.
    init(_ url: URL) {
        let isFile = ["xml", "cdm"].contains(url.pathExtension)
        self.url = isFile ? url : url.appendingPathComponent("xcmapping.xml")
    }

    /// The mapping models among the resources of bundles, for nil of all that are in use.
    static func all(in bundles: [Bundle]?) -> [MappingModelFile] {
        ModelSearch.urls(in: bundles, withExtensions: ["xcmappingmodel", "cdm"])
            .sorted { $0.path < $1.path }.map { MappingModelFile($0) }
    }

    /// A file without copies of its models is read for `models`.
    ///
    /// - Throws: `ModelFileError` with file and line.
    func read(
        for models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)? = nil
    ) throws -> MappingCandidate {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw failure("the file cannot be read: \(error.localizedDescription)")
        }
        let isBinary = data.starts(with: BinaryPropertyList.magic)
        let root = try isBinary ? nil : ModelFileParser.parse(data, file: url.path)
        guard let root, root.name != "plist" else { return try compiled(KeyedArchive(file: data)) }
        guard root.name == "database" else { throw failure("a mapping model begins with <database>.", root.line) }
        let objects = root.children.filter { $0.name == "object" }.map { MappingModelObject($0) }
        let model = XcodeMappingModel(objects, file: url.path, models: models)
        return MappingCandidate(entityMappings: try model.entityMappings())
    }

    private func compiled(_ archive: KeyedArchive?) throws -> MappingCandidate {
        guard let archive, let mappings = CompiledMappingModel(archive)?.entityMappings else {
            throw failure("this is no compiled mapping model, or a damaged one; compile it again.")
        }
        return MappingCandidate(entityMappings: mappings)
    }

    private func failure(_ message: String, _ line: Int = 0) -> ModelFileError {
        ModelFileError(issues: [ModelIssue(.error, message, url.path, line)])
    }
}
