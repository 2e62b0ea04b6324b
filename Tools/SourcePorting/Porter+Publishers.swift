import SwiftTokens

extension Porter {
    /// `center.publisher(for:)`, which OpenCombine has under `ocombine`.
    mutating func portPublisher(at place: Int) {
        guard index.modules.contains("OpenCombineFoundation"), lackingImports.contains("Combine"),
            source.isSign(".", at: place - 1), source.isSign("(", at: place + 1), source.isWord("for", at: place + 2)
        else { return }
        let receiver = source.text(at: place - 2).lowercased()
        guard receiver == "default" || receiver.hasSuffix("center") else { return }
        insert("ocombine.", before: source.tokens[place].range, applied: .omitted)
        report(.openCombine, at: place, "publisher(for:)")
    }

    /// `receive(on: DispatchQueue.main)`: queues and loops are schedulers under `ocombine`.
    mutating func portScheduler(at place: Int) {
        let modules = [
            "DispatchQueue": "OpenCombineDispatch", "OperationQueue": "OpenCombineFoundation",
            "RunLoop": "OpenCombineFoundation",
        ]
        guard source.isSign(":", at: place + 1), let module = modules[source.text(at: place + 2)],
            index.modules.contains(module), lackingImports.contains("Combine")
        else { return }
        var end = place + 2
        while end + 1 < source.tokens.count, !source.isSign(",", at: end + 1), !source.isSign(")", at: end + 1) {
            end = source.isSign("(", at: end + 1) ? source.close(of: end + 1) : end + 1
        }
        insert(".ocombine", after: source.tokens[end].range, applied: .omitted)
        report(.openCombine, at: place, source.text(of: source.range(of: (place + 2)...end)))
    }
}
