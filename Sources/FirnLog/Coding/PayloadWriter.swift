/// Writes a record's payload: who and why, then what.
struct PayloadWriter {
    var out: ByteWriter
    /// The bytes that the reader will have counted against its budget by now, or more.
    private var spent = 0

    init(_ sink: (any ByteSink)? = nil) { out = ByteWriter(sink) }

    /// The payload of a record, before compression.
    static func payload(_ body: LogRecord.Body, _ header: TransactionHeader) -> [UInt8] {
        var writer = PayloadWriter()
        // Enough for a save of one object, which so allocates once, and for the numbers of a large one.
        var numbers = 0
        if case .changes(let changes) = body {
            for group in changes.groups { numbers += group.primaryKeys.count * (group.new.count + group.old.count) }
        }
        writer.out.reserve(512 + 3 * numbers)
        writer.record(body, header)
        return writer.out.bytes
    }

    /// Hands the payload of a record to `sink`, before compression, piece by piece: the same bytes every time.
    static func write(_ body: LogRecord.Body, _ header: TransactionHeader, to sink: any ByteSink) {
        var writer = PayloadWriter(sink)
        writer.record(body, header)
        writer.out.flush(isEnd: true)
    }

    private mutating func record(_ body: LogRecord.Body, _ header: TransactionHeader) {
        self.header(header)
        switch body {
        case .model(let model): self.model(model)
        case .changes(let changes): self.changes(changes)
        case .reservation(let keys): reservation(keys)
        case .erasure(let erasure): self.erasure(erasure)
        case .baseline: fatalError("a baseline is not appended: trim(through:) writes it")
        }
    }

    /// Counts the memory that a reader will need; false if it may only be asked for with a byte for each value.
    mutating func spend(_ cost: Int) -> Bool {
        spent += cost
        return spent <= ByteReader.budgetBase + ByteReader.budgetFactor * out.count
    }

    mutating func reservation(_ keys: [EntityNumber: Int64]) {
        out.varint(keys.count)
        for (entity, key) in keys.sorted(by: { $0.key < $1.key }) {
            out.varint(UInt64(entity.rawValue))
            out.zigzag(key)
        }
    }
}

extension FrameKind {
    init(_ body: LogRecord.Body) {
        switch body {
        case .model: self = .model
        case .changes: self = .changes
        case .reservation: self = .reservation
        case .erasure: self = .erasure
        case .baseline: fatalError("a baseline is not appended: trim(through:) writes it")
        }
    }
}

/// Reads what `PayloadWriter` wrote.
enum PayloadReader {
    /// - Parameter date: from the frame's header, where the date stands.
    static func record(
        _ payload: UnsafeRawBufferPointer, kind: FrameKind, sequence: SequenceNumber, date: Int64
    ) throws(DecodeFailure) -> LogRecord {
        var reader = ByteReader(payload)
        let header = try reader.header(date: date)
        let body: LogRecord.Body
        switch kind {
        case .model: body = .model(try reader.model())
        case .changes: body = .changes(try reader.changes())
        case .reservation: body = .reservation(try reader.reservation())
        case .erasure: body = .erasure(try reader.erasure())
        default: throw reader.failure("a frame of the unknown kind \(kind.rawValue)")
        }
        try reader.expectEnd()
        return LogRecord(sequence: sequence, header: header, body: body)
    }
}

extension ByteReader {
    mutating func reservation() throws(DecodeFailure) -> [EntityNumber: Int64] {
        var keys: [EntityNumber: Int64] = [:]
        for _ in 0..<(try count(of: "reservations")) {
            let entity = EntityNumber(try number("an entity number"))
            keys[entity] = try zigzag()
        }
        return keys
    }
}

extension LogRecord {
    /// The record's payload before compression, as `Documentation/Format.md` describes it: without its number, its
    /// date and its kind, which stand in the frame's header.
    package func payload() -> [UInt8] { PayloadWriter.payload(body, header) }

    /// Reads a payload. Any bytes give a record or an error.
    package init(
        decoding payload: [UInt8], kind: FrameKind, sequence: SequenceNumber, date: Int64
    ) throws {
        self = try payload.withBytes { bytes throws(DecodeFailure) in
            try PayloadReader.record(bytes, kind: kind, sequence: sequence, date: date)
        }
    }
}
