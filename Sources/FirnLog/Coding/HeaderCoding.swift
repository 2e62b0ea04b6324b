/// The parts of a transaction header that are there; the others are nil or empty.
package struct HeaderParts: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let author = HeaderParts(rawValue: 1)
    package static let contextName = HeaderParts(rawValue: 2)
    package static let bundleID = HeaderParts(rawValue: 4)
    package static let metadata = HeaderParts(rawValue: 8)
    package static let process = HeaderParts(rawValue: 16)

    static let known: HeaderParts = [.author, .contextName, .bundleID, .metadata, .process]
}

extension PayloadWriter {
    mutating func header(_ header: TransactionHeader) {
        var parts: HeaderParts = []
        if header.author != nil { parts.insert(.author) }
        if header.contextName != nil { parts.insert(.contextName) }
        if header.bundleID != nil { parts.insert(.bundleID) }
        if !header.metadata.isEmpty { parts.insert(.metadata) }
        if !header.processName.isEmpty || header.processID != 0 { parts.insert(.process) }
        out.byte(parts.rawValue)
        out.word(header.id.high.byteSwapped)
        out.word(header.id.low.byteSwapped)
        if let author = header.author { out.text(author) }
        if let name = header.contextName { out.text(name) }
        if let bundle = header.bundleID { out.text(bundle) }
        if parts.contains(.process) {
            out.text(header.processName)
            out.zigzag(Int64(header.processID))
        }
        if parts.contains(.metadata) {
            out.varint(header.metadata.count)
            for (key, value) in header.metadata.sorted(by: { $0.key < $1.key }) {
                out.text(key)
                out.text(value)
            }
        }
    }
}

extension ByteReader {
    mutating func header(date: Int64) throws(DecodeFailure) -> TransactionHeader {
        let parts = HeaderParts(rawValue: try byte())
        guard HeaderParts.known.isSuperset(of: parts) else {
            throw failure("unknown parts of a transaction header")
        }
        let high = try word().byteSwapped
        var header = TransactionHeader(date: date, id: TransactionID(high: high, low: try word().byteSwapped))
        if parts.contains(.author) { header.author = try text() }
        if parts.contains(.contextName) { header.contextName = try text() }
        if parts.contains(.bundleID) { header.bundleID = try text() }
        if parts.contains(.process) {
            header.processName = try text()
            guard let id = Int32(exactly: try zigzag()) else { throw failure("a large process number") }
            header.processID = id
        }
        if parts.contains(.metadata) {
            for _ in 0..<(try count(of: "metadata entries")) {
                let key = try text()
                header.metadata[key] = try text()
            }
        }
        return header
    }
}
