import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Parses the XML of a model file into elements. Knows XML, and nothing of models.
final class ModelFileParser: NSObject, XMLParserDelegate {
    /// More levels than any model has. Deeper files are refused.
    private static let depthMax = 64

    private let file: String
    private var open: [ModelFileElement] = []
    private var root: ModelFileElement?
    private var failure: ModelIssue?

    private init(file: String) { self.file = file }

    /// - Throws: `ModelFileError` with the line at which the XML is broken.
    static func parse(_ data: Data, file: String) throws -> ModelFileElement {
        if let line = lineThatIsNotUTF8(data) {
            throw ModelFileError(issues: [
                ModelIssue(.error, "there are bytes that are no UTF-8; a model file is XML in UTF-8.", file, line)
            ])
        }
        let delegate = ModelFileParser(file: file)
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = delegate
        let isWhole = parser.parse()
        if let failure = delegate.failure { throw ModelFileError(issues: [failure]) }
        guard isWhole, let root = delegate.root else {
            let reason = data.isEmpty ? "the file is empty" : "this is not well-formed XML"
            throw ModelFileError(issues: [
                ModelIssue(
                    .error, "\(reason); a model file is XML as Xcode writes it.", file,
                    parser.lineNumber)
            ])
        }
        return root
    }

    /// The line of the first byte that is no UTF-8, counted from 1; nil without one. XMLParser would stop the program
    /// at such a byte in a name. UTF-16 is left to XMLParser, which converts it.
    private static func lineThatIsNotUTF8(_ data: Data) -> Int? {
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) { return nil }
        if String(validating: data, as: UTF8.self) != nil { return nil }
        var line = 1
        var decoder = UTF8()
        var bytes = data.makeIterator()
        while true {
            switch decoder.decode(&bytes) {
            case .scalarValue("\n"): line += 1
            case .scalarValue: break
            case .emptyInput: return nil
            case .error: return line
            }
        }
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String]
    ) {
        if open.count == Self.depthMax {
            failure = ModelIssue(
                .error, "elements are nested more than \(Self.depthMax) deep.", file,
                parser.lineNumber)
            parser.abortParsing()
            return
        }
        var attributes = attributeDict
        for (name, value) in attributeDict where name.hasPrefix(ModelFileFormat.base64Prefix) {
            guard let bytes = Data(base64Encoded: value) else { continue }
            attributes[name] = nil
            let plainName = String(name.dropFirst(ModelFileFormat.base64Prefix.count))
            attributes[plainName] = String(decoding: bytes, as: UTF8.self)
        }
        open.append(ModelFileElement(elementName, attributes, line: parser.lineNumber))
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if !open.isEmpty { open[open.count - 1].text += string }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        guard var element = open.popLast() else { return }
        if !element.children.isEmpty { element.text = "" }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }
}
