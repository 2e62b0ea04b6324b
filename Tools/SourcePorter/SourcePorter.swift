import FirnModel
import Foundation
import ModelGeneration
import SourcePorting

/// The tool behind the plugin `PortedSources`: makes the copies of sources that Linux compiles.
///
///     SourcePorter INDEX [FILE COPY]… --models MODEL… --with MODULE…
///
/// The index has what the files say of each other and what the copies call. Models (`.xcdatamodeld`) are read for the
/// classes that they generate. A file that would stay as it is is not written, so that it is not compiled again.
/// Status: 0; 1 with a line like the compiler's.
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
        let groups = arguments.split(omittingEmptySubsequences: false) { $0 == "--models" || $0 == "--with" }
        guard groups.count == 3, let output = groups[0].first, groups[0].count % 2 == 1 else {
            print("error: usage: SourcePorter INDEX [FILE COPY]… --models MODEL… --with MODULE…")
            exit(1)
        }
        let paths = Array(groups[0].dropFirst())
        let files = try stride(from: 0, to: paths.count, by: 2).map { (path: paths[$0], text: try text(at: paths[$0])) }
        let index = PortIndex(
            files: files, modules: Set(groups[2]), generated: try groups[1].flatMap(generatedClasses))
        let isChanged = try write(index.text(), to: output)
        let results = Array(files.indices).concurrentMap { number -> Result<[String], any Error> in
            let (path, text) = files[number]
            let copy = paths[number * 2 + 1]
            if !isChanged && isNewer(copy, than: path) { return .success([]) }
            return Result { try port(path, text, to: copy, index) }
        }
        for result in results {
            for line in try result.get() { print(line) }
        }
    }

    /// Writes a file's copy, and returns what the compiler should say of it.
    private static func port(_ path: String, _ text: String, to copy: String, _ index: PortIndex) throws -> [String] {
        let porter = Porter(path: path, text: text, index: index)
        try write(porter.text, to: copy)
        return porter.findings.filter { !$0.kind.isPorted }.map {
            "\($0.file):\($0.line): warning: \($0.text): \($0.kind.remedy)"
        }
    }

    private static func isNewer(_ path: String, than source: String) -> Bool {
        guard let date = date(path), let sourceDate = Self.date(source) else { return false }
        return date > sourceDate
    }

    private static func date(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }

    private static func generatedClasses(_ path: String) throws -> [String] {
        let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: path))
        let model = try NSManagedObjectModel.load(contentsOf: bundle.current.url).model
        return ClassGenerator(model: model).files(.asModelled).map(\.text)
    }

    private static func text(at path: String) throws -> String {
        try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    }

    /// Returns whether the file has changed.
    @discardableResult
    private static func write(_ text: String, to path: String) throws -> Bool {
        let (data, url) = (Data(text.utf8), URL(fileURLWithPath: path))
        if (try? Data(contentsOf: url)) == data { return false }
        try data.write(to: url)
        return true
    }
}
