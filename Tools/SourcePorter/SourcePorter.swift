import FirnModel
import Foundation
import ModelGeneration
import SourcePorting

/// The tool behind the plugin `PortedSources`: makes the copies of sources that Linux compiles.
///
///     SourcePorter index OUTPUT FILE… [--with MODULE]…    what the files say of each other, what the copies call
///     SourcePorter copy FILE OUTPUT INDEX                 one file's copy
///
/// Among the files of an index may be models (`.xcdatamodeld`), for the classes that they generate.
/// A file that would stay as it is is not written. Status: 0; 1 with a line like the compiler's.
@main
enum SourcePorter {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("index", 2...):
            let groups = arguments.dropFirst(2).split(separator: "--with", omittingEmptySubsequences: false)
            let models = groups[0].filter { $0.hasSuffix(".xcdatamodeld") }
            let files = try groups[0].filter { !models.contains($0) }.map { (path: $0, text: try text(at: $0)) }
            let index = PortIndex(
                files: files, modules: Set(groups.dropFirst().joined()),
                generated: try models.flatMap(generatedClasses))
            try write(index.text(), to: arguments[1])
        case ("copy", 4):
            let index = try PortIndex(text: try text(at: arguments[3]))
            let porter = Porter(path: arguments[1], text: try text(at: arguments[1]), index: index)
            for finding in porter.findings where !finding.kind.isPorted {
                print("\(finding.file):\(finding.line): warning: \(finding.text): \(finding.kind.remedy)")
            }
            try write(porter.text, to: arguments[2])
        default:
            print("error: usage: SourcePorter index OUTPUT FILE… [--with MODULE]… | copy FILE OUTPUT INDEX")
            exit(1)
        }
    }

    private static func generatedClasses(_ path: String) throws -> [String] {
        let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: path))
        let model = try NSManagedObjectModel.load(contentsOf: bundle.current.url).model
        return ClassGenerator(model: model).files(.asModelled).map(\.text)
    }

    private static func text(at path: String) throws -> String {
        try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    }

    private static func write(_ text: String, to path: String) throws {
        let (data, url) = (Data(text.utf8), URL(fileURLWithPath: path))
        if (try? Data(contentsOf: url)) == data { return }
        try data.write(to: url)
    }
}
