// Records of uploads behind a wrapper with closures.
//
//     swift run Uploads [FOLDER]
import Foundation

let folder = CommandLine.arguments.dropFirst().first ?? NSTemporaryDirectory()
let store = UploadStore(folder: URL(fileURLWithPath: folder, isDirectory: true))
/// Ends the program with a sentence. An application would show it and go on.
let failed: UploadStore.Failure = { error in
    try? FileHandle.standardError.write(contentsOf: Data("Uploads: \(error.localizedDescription)\n".utf8))
    exit(1)
}

store.open(success: { print("open") }, failure: failed)
var identifiers: [UUID] = []
for name in ["a.jpg", "b.jpg", "c.jpg"] {
    store.add(fileName: name, byteCount: 1_024, success: { identifiers.append($0) }, failure: failed)
}
store.setStatus(.done, of: identifiers[1], success: { print("b.jpg is done") }, failure: failed)
store.setStatus(
    .done, of: UUID(), success: { print("found what is not there") },
    failure: { print("unknown record: code \(($0 as NSError).code)") })
store.fileNames(with: .waiting, success: { print("waiting: \($0)") }, failure: failed)
store.fileNames(with: .done, success: { print("done: \($0)") }, failure: failed)
store.removeAll(success: { print("removed \($0)") }, failure: failed)
