/// The payload of a baseline's frame, by its kind:
///
///     model        = the record that carried it (varint), then as in the log
///     changes      = as in the log, then for each group the version of each row (integers)
///     reservation  = as in the log
///     end          = how many frames stand before it (varint)
extension BaselinePart {
    var kind: FrameKind {
        switch self {
        case .model: .model
        case .keys: .reservation
        case .rows: .changes
        }
    }

    var payload: [UInt8] {
        var writer = PayloadWriter()
        switch self {
        case .model(let sequence, let model):
            writer.out.varint(sequence.rawValue)
            writer.model(model)
        case .keys(let keys): writer.reservation(keys)
        case .rows(let changes, let versions):
            guard versions.map(\.count) == changes.groups.map(\.primaryKeys.count) else {
                fatalError("a baseline has a version for each row")
            }
            writer.changes(changes)
            for versions in versions { writer.integers(versions) }
        }
        return writer.out.bytes
    }

    static func endPayload(count: Int) -> [UInt8] {
        var writer = PayloadWriter()
        writer.out.varint(count)
        return writer.out.bytes
    }

    /// Reads a payload; nil for the end, which must come after `count` parts.
    static func reading(
        _ payload: UnsafeRawBufferPointer, kind: FrameKind, count: Int
    ) throws(DecodeFailure) -> BaselinePart? {
        var reader = ByteReader(payload)
        let part: BaselinePart?
        switch kind {
        case .model:
            let sequence = SequenceNumber(try reader.varint())
            part = .model(sequence, try reader.model())
        case .reservation: part = .keys(try reader.reservation())
        case .changes:
            let changes = try reader.changes()
            var versions: [[Int64]] = []
            for group in changes.groups { versions.append(try reader.integers(count: group.primaryKeys.count)) }
            part = .rows(changes, versions: versions)
        case .end:
            guard try reader.varint() == UInt64(count) else { throw reader.failure("the end of another baseline") }
            part = nil
        default: throw reader.failure("a frame of the unknown kind \(kind.rawValue)")
        }
        try reader.expectEnd()
        return part
    }
}
