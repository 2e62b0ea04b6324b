/// A named reader of a log whose place is kept with the log: trimming stops before what it has not seen.
public struct Subscription: Hashable, Sendable {
    /// A record that the reader could not take, after all attempts.
    public struct DeadLetter: Hashable, Sendable {
        public var sequence: SequenceNumber
        /// Microseconds since 1970.
        public var date: Int64
        /// The reason, in one line.
        public var reason: String

        public init(sequence: SequenceNumber, date: Int64, reason: String) {
            self.sequence = sequence
            self.date = date
            self.reason = reason
        }
    }

    /// At most 64 letters, digits, dots, dashes and underscores; not beginning with a dot.
    public let name: String
    /// The last record that the reader is done with.
    public var checkpoint: LogPosition
    /// When the checkpoint was stored, in microseconds since 1970.
    public var date: Int64
    /// The changes that were set aside, in the log's order.
    public var deadLetters: [DeadLetter]

    public init(name: String, checkpoint: LogPosition, date: Int64, deadLetters: [DeadLetter] = []) {
        guard Self.isValid(name) else {
            fatalError(
                "name a subscription with 1 to 64 letters, digits, dots, dashes and underscores: \(name)")
        }
        self.name = name
        self.checkpoint = checkpoint
        self.date = date
        self.deadLetters = deadLetters
    }

    public static func isValid(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }
}

/// A subscription's file: a few lines that a person can read, closed by their checksum.
///
///     firn subscription 1
///     checkpoint 41-09af3c5e7d102b84
///     date 1700000000000000
///     dead 17 1700000000000000 the reason, without line breaks
///     checksum 1a2b3c4d
extension Subscription {
    private static let firstLine = "firn subscription 1"

    var encoded: [UInt8] {
        var text = "\(Self.firstLine)\ncheckpoint \(checkpoint)\ndate \(date)\n"
        for letter in deadLetters {
            let reason = String(letter.reason.map { $0.isNewline ? " " : $0 })
            text += "dead \(letter.sequence) \(letter.date) \(reason)\n"
        }
        return Array((text + "checksum \(Self.checksum(text))\n").utf8)
    }

    /// Nil for anything that `encoded` does not give.
    init?(name: String, decoding bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", let last = lines.popLast(), lines.first.map(String.init) == Self.firstLine,
            last == "checksum \(Self.checksum(lines.joined(separator: "\n") + "\n"))"
        else { return nil }
        var checkpoint: LogPosition?
        var date: Int64?
        var deadLetters: [DeadLetter] = []
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            switch (words.first, words.count) {
            case ("checkpoint", 2): checkpoint = LogPosition(String(words[1]))
            case ("date", 2): date = Int64(words[1])
            case ("dead", 4):
                guard let sequence = UInt64(words[1]), let date = Int64(words[2]) else { return nil }
                deadLetters.append(
                    DeadLetter(sequence: SequenceNumber(sequence), date: date, reason: String(words[3])))
            default: return nil
            }
        }
        guard let checkpoint, let date else { return nil }
        self.init(name: name, checkpoint: checkpoint, date: date, deadLetters: deadLetters)
    }

    private static func checksum(_ text: String) -> String {
        var text = text
        let value = text.withUTF8 { Checksum().updated(UnsafeRawBufferPointer($0)).value }
        return String(value, radix: 16)
    }
}
