import BuildFiles
import FirnModel
import Foundation
import ModelGeneration
import SourcePorting

/// The tool behind the plugin `ManagedModels`: compiles a model, and writes the classes that it asks for. Of a mapping
/// model, it checks and copies the XML.
///
///     ModelCompiler BUNDLE CLASSES COMPILED MODULE [INDEX]
///     ModelCompiler MAPPING COMPILED
///
/// With the index of `PortedSources`, the classes have what the target's extensions of them override.
/// What is odd in the model is printed like a compiler's warnings. Status: 0; 1 if the model does not load.
@main
enum ModelCompiler {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        if arguments.count == 2 { return try copyMapping(from: arguments[0], to: arguments[1]) }
        guard (4...5).contains(arguments.count) else {
            print("error: usage: ModelCompiler BUNDLE CLASSES COMPILED MODULE [INDEX], or MAPPING COMPILED")
            exit(1)
        }
        let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: arguments[0]))
        let compiled = URL(fileURLWithPath: arguments[2])
        try? FileManager.default.removeItem(at: compiled)
        for warning in try CompiledModelBundle.write(bundle, to: compiled, module: arguments[3]) { print(warning) }
        let model = try NSManagedObjectModel.load(contentsOf: bundle.current.url).model
        let files = ClassGenerator(model: model).files(.asModelled)
        let head = "// Made of \(bundle.url.lastPathComponent); changes are lost.\n"
        var text = head + files.map(\.text).joined(separator: "\n")
        if let path = arguments.dropFirst(4).first {
            let index = try PortIndex(text: String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8))
            let porter = Porter(path: arguments[1], text: text, index: index)
            if porter.hasGuests { text = porter.text }
        }
        try BuildFile.write(text, to: arguments[1])
    }

    private static func copyMapping(from mapping: String, to compiled: String) throws {
        let xml = URL(fileURLWithPath: mapping).appendingPathComponent("xcmapping.xml")
        _ = try NSMappingModel.load(contentsOf: xml)
        try Data(contentsOf: xml).write(to: URL(fileURLWithPath: compiled))
    }
}
