/// An erasure:
///
///     erasure      = record of the model, entity, (varints), primary key (zigzag), count, slot …, count, replacement …
///     replacement  = distance from the record before it (varint), digest (32 bytes)
extension PayloadWriter {
    mutating func erasure(_ erasure: Erasure) {
        out.varint(erasure.model.rawValue)
        out.varint(UInt64(erasure.object.entity.rawValue))
        out.zigzag(erasure.object.primaryKey)
        out.varint(erasure.slots.count)
        for slot in erasure.slots { out.varint(Int(slot)) }
        out.varint(erasure.replaced.count)
        var last: UInt64 = 0
        for replacement in erasure.replaced {
            out.varint(replacement.sequence.rawValue - last)
            last = replacement.sequence.rawValue
            withUnsafeBytes(of: replacement.digest) { out.raw($0) }
        }
    }
}

extension ByteReader {
    mutating func erasure() throws(DecodeFailure) -> Erasure {
        let model = SequenceNumber(try varint())
        let entity = EntityNumber(try number("an entity number"))
        var erasure = Erasure(model: model, object: ObjectKey(entity: entity, primaryKey: try zigzag()))
        for _ in 0..<(try count(of: "slots")) { erasure.slots.append(try number("a slot")) }
        var last: UInt64 = 0
        for _ in 0..<(try count(of: "replaced records")) {
            let (next, overflow) = last.addingReportingOverflow(try varint())
            guard !overflow, next > last else { throw failure("replaced records out of order") }
            last = next
            erasure.replaced.append(
                .init(sequence: SequenceNumber(next), digest: ChainValue(bytes: try raw(ChainValue.size))))
        }
        return erasure
    }
}

/// The file of an erasure in progress, with which the next opening after a crash completes it: the record's notation
/// without replaced records, then its CRC-32C.
enum PendingErasure {
    static func encode(_ erasure: Erasure) -> [UInt8] {
        var writer = PayloadWriter()
        writer.erasure(erasure)
        let sum = writer.out.bytes.withUnsafeBytes { Checksum().updated($0).value }
        return writer.out.bytes + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    /// Nil for anything else.
    static func decode(_ bytes: [UInt8]) -> Erasure? {
        guard bytes.count > 4 else { return nil }
        let body = Array(bytes.dropLast(4))
        let sum = body.withUnsafeBytes { Checksum().updated($0).value }
        let stored = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard sum == stored else { return nil }
        return try? body.withBytes { bytes throws(DecodeFailure) in
            var reader = ByteReader(bytes)
            let erasure = try reader.erasure()
            try reader.expectEnd()
            return erasure
        }
    }
}
