/// A checkpoint with an Ed25519 signature (https://www.rfc-editor.org/rfc/rfc8032), as lines of text:
///
///     firn checkpoint 1
///     store 01234567-89AB-4DEF-8123-456789ABCDEF
///     record 120
///     date 1700000000000000
///     link (64 hexadecimal digits)
///     key (the signer's public key, 64 digits)
///     signature (of all bytes before this line, 128 digits)
public struct SignedCheckpoint: Hashable, Sendable {
    public let checkpoint: LogCheckpoint
    /// 32 bytes.
    public let publicKey: [UInt8]
    /// 64 bytes.
    public let signature: [UInt8]

    /// A mistake in a text that should be a checkpoint, or in a key.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String
    }

    private static let heading = "firn checkpoint 1"

    /// Signs.
    /// - Parameter privateKey: 32 bytes.
    public init(_ checkpoint: LogCheckpoint, privateKey: [UInt8]) throws {
        guard privateKey.count == Ed25519.keySize else {
            throw Failure(description: "an Ed25519 private key has 32 bytes, this one has \(privateKey.count)")
        }
        self.checkpoint = checkpoint
        do throws(Ed25519.SigningError) {
            publicKey = try Ed25519.publicKey(of: privateKey)
            signature = try Ed25519.signature(
                of: Array(Self.body(checkpoint, publicKey).utf8), privateKey: privateKey)
        } catch {
            throw Failure(description: "libcrypto could not \(error.operation)")
        }
    }

    /// Reads what `text` writes. The signature is not checked.
    public init(text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 8, lines[0] == Self.heading, lines[7].isEmpty else {
            throw Failure(description: "this is no checkpoint, which is “\(Self.heading)” and six lines more")
        }
        func value(_ index: Int, _ name: String) throws -> String {
            guard lines[index].hasPrefix(name + " ") else {
                throw Failure(description: "line \(index + 1) of the checkpoint should begin with “\(name)”")
            }
            return String(lines[index].dropFirst(name.utf8.count + 1))
        }
        guard let store = StoreID(uuidString: try value(1, "store")), let record = UInt64(try value(2, "record")),
            let date = Int64(try value(3, "date")), let link = Self.bytes(try value(4, "link"), count: 32),
            let key = Self.bytes(try value(5, "key"), count: 32),
            let signature = Self.bytes(try value(6, "signature"), count: 64)
        else { throw Failure(description: "a line of the checkpoint has something else than it should") }
        checkpoint = LogCheckpoint(
            storeID: store, sequence: SequenceNumber(record), date: date,
            link: link.withUnsafeBytes { ChainValue(bytes: $0) })
        publicKey = key
        self.signature = signature
    }

    public var text: String { Self.body(checkpoint, publicKey) + "signature \(signature.hexadecimal)\n" }

    /// Whether the holder of the private key to `publicKey` signed exactly this.
    public var isSignatureValid: Bool {
        Ed25519.isValid(signature, of: Array(Self.body(checkpoint, publicKey).utf8), publicKey: publicKey)
    }

    private static func body(_ checkpoint: LogCheckpoint, _ publicKey: [UInt8]) -> String {
        """
        \(heading)
        store \(checkpoint.storeID)
        record \(checkpoint.sequence)
        date \(checkpoint.date)
        link \(checkpoint.link)
        key \(publicKey.hexadecimal)

        """
    }

    private static func bytes(_ digits: String, count: Int) -> [UInt8]? {
        let digits = digits.compactMap(\.hexDigitValue)
        guard digits.count == 2 * count else { return nil }
        return (0..<count).map { (index: Int) -> UInt8 in UInt8(digits[2 * index] * 16 + digits[2 * index + 1]) }
    }
}

extension SegmentLog {
    /// Where the log stands after a record. Throws `missing` if it is not there (yet, or any more).
    public func checkpoint(at sequence: SequenceNumber) throws -> LogCheckpoint {
        let frame = try frame(at: sequence)
        return LogCheckpoint(storeID: storeID, sequence: sequence, date: frame.date, link: frame.link)
    }

    /// Throws unless the log still holds what it held when the checkpoint was taken: `storeMismatch` for another
    /// store's, `missing` where the record is not there (any more), `damaged` where it has another link.
    ///
    /// This checks one record. `verify(from:)` walks from its segment's beginning, whose header that record's
    /// link covers.
    public func check(_ checkpoint: LogCheckpoint) throws {
        guard checkpoint.storeID == storeID else {
            throw LogError(
                .storeMismatch, "The checkpoint is of another store.", path: directory,
                expected: storeID.uuidString, found: checkpoint.storeID.uuidString)
        }
        try refresh()
        try refreshBeginning()
        let info: (path: String, link: ChainValue)
        if checkpoint.sequence == baseline, baseline > .zero {
            let segment = try openBaseline(baseline)
            info = (segment.path, segment.header.chain)
        } else {
            let frame = try frame(at: checkpoint.sequence)
            info = (frame.path, frame.link)
        }
        guard info.link == checkpoint.link else {
            throw LogError(
                .damaged, "The log up to here is not what it was when the checkpoint was taken.", path: info.path,
                sequence: checkpoint.sequence, expected: "\(checkpoint.link)", found: "\(info.link)")
        }
    }
}
