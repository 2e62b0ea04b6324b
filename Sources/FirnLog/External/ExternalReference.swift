/// The reference in a record and in a row to a value that is kept in a file of its own.
///
///     magic (16) │ size of the value (8, low byte first) │ SHA-256 of the value (32)
///
/// The same value has the same reference, and so one file.
public struct ExternalReference: Hashable, Sendable {
    /// Bytes of the value.
    public let size: Int
    /// SHA-256 of the value.
    public let digest: ChainValue

    public init(size: Int, digest: ChainValue) {
        self.size = size
        self.digest = digest
    }

    /// The reference to a value. O(bytes).
    public init(to value: UnsafeRawBufferPointer) {
        size = value.count
        digest = ChainValue(digestOf: value)
    }

    /// Reads a reference; nil if the bytes are none.
    public init?(bytes: UnsafeRawBufferPointer) {
        let magic = Format.externalMagic
        guard bytes.count == Format.externalReferenceSize else { return nil }
        for index in magic.indices where bytes[index] != magic[index] { return nil }
        guard let size = Int(exactly: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
        else { return nil }
        self.size = size
        digest = ChainValue(bytes: UnsafeRawBufferPointer(rebasing: bytes[24...]))
    }

    /// Reads a reference; nil if the bytes are none.
    public init?(bytes: [UInt8]) {
        guard let reference = bytes.withUnsafeBytes({ ExternalReference(bytes: $0) }) else { return nil }
        self = reference
    }

    public var bytes: [UInt8] {
        var result = Format.externalMagic
        withUnsafeBytes(of: UInt64(size).littleEndian) { result.append(contentsOf: $0) }
        withUnsafeBytes(of: digest) { result.append(contentsOf: $0) }
        return result
    }

    /// The name of the value's file: the digest in hexadecimal.
    public var fileName: String { digest.description }
}

extension LogRecord.Body {
    /// Calls `body` with every reference in the values, old and new, those of a migration or a baseline included.
    /// O(values).
    func forEachExternalReference(_ body: (ExternalReference) -> Void) {
        switch self {
        case .changes(let changes), .baseline(.rows(let changes, _)): changes.forEachExternalReference(body)
        case .model(let model): model.migration?.rows?.forEachExternalReference(body)
        default: break
        }
    }
}

extension LogRecord.Body {
    /// The references in the values. O(values).
    var externalReferences: Set<ExternalReference> {
        var named: Set<ExternalReference> = []
        forEachExternalReference { named.insert($0) }
        return named
    }
}

extension ChangeSet {
    /// The references in the values, old and new. O(values).
    package var externalReferences: Set<ExternalReference> { LogRecord.Body.changes(self).externalReferences }

    fileprivate func forEachExternalReference(_ body: (ExternalReference) -> Void) {
        for group in groups {
            for column in group.new { column.forEachExternalReference(body) }
            for column in group.old { column.forEachExternalReference(body) }
        }
    }
}

extension Column {
    fileprivate func forEachExternalReference(_ body: (ExternalReference) -> Void) {
        guard case .blobs(let runs) = values, runs.bytes.count >= Format.externalReferenceSize else { return }
        for index in 0..<runs.count where runs.range(at: index).count == Format.externalReferenceSize {
            if let reference = runs.withBytes(at: index, { ExternalReference(bytes: $0) }) { body(reference) }
        }
    }
}
