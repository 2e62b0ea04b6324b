/// Performs one erasure in a log, with the trim lock held.
struct LogEraser {
    let log: SegmentLog
    private let erasure: Erasure
    private let compressor = Compressor()
    private let decompressor = Decompressor()
    private var known: [SequenceNumber: ErasureTerms?] = [:]
    /// The last record that set, or deleted, the object's value of a slot of the erasure; none if no record does.
    ///
    /// Leaves what it set. The save that comes before an erasure made it harmless, or somebody saved it since.
    private var last: [UInt16: SequenceNumber] = [:]
    /// The digests of the payloads that replace those of records. Each payload is encoded twice, here and when it is
    /// written: all records that are compressed with a dictionary may not fit into memory.
    private(set) var replacements: [SequenceNumber: ChainValue] = [:]
    /// All dictionaries, which no segment may name any more.
    private(set) var droppedDictionaries: Set<DictionaryID> = []

    init(_ log: SegmentLog, _ erasure: Erasure) {
        self.log = log
        self.erasure = erasure
    }

    /// The erasure as it is to stand in the log.
    var record: Erasure {
        var record = erasure
        record.replaced = replacements.sorted { $0.key < $1.key }.map {
            .init(sequence: $0.key, digest: $0.value)
        }
        return record
    }

    /// Finds the records that have such a value.
    ///
    /// Complexity: reads the whole log, one record at a time.
    mutating func search() throws {
        for sequence in try findObject() {
            var cursor = try log.cursor(at: sequence)
            guard let frame = try Self.next(&cursor), let raw = try replacement(for: frame, in: cursor.segment)
            else { continue }
            replacements[sequence] = payload(raw, for: frame).redaction.replacement
        }
    }

    /// Finds the records that have the object, and which of them decide what it has now.
    @discardableResult
    mutating func findObject() throws -> [SequenceNumber] {
        var found: [SequenceNumber] = []
        let (starts, head) = log.stateLock.withLock { (log.contents.starts, log.tail.head) }
        for start in starts {
            let segment = try log.openSegment(start)
            var cursor = SegmentCursor(segment)
            // What stands after the head may be a write under way.
            while cursor.sequence <= head, let frame = try Self.next(&cursor) {
                guard let record = try record(frame, in: segment), try follow(record) else { continue }
                found.append(record.sequence)
            }
        }
        return found
    }

    /// Takes what the record sets of the object. Returns whether it has the object.
    private mutating func follow(_ record: LogRecord) throws -> Bool {
        let (changes, isWhole): (ChangeSet, Bool)
        switch record.body {
        case .changes(let some): (changes, isWhole) = (some, false)
        case .model(let model):
            guard let rows = model.migration?.rows else { return false }
            (changes, isWhole) = (rows, true)
        default: return false
        }
        guard let terms = try terms(at: isWhole ? record.sequence : changes.model) else { return false }
        let groups = changes.groups.filter { $0.row(of: terms.object) != nil }
        for group in groups where group.operation != .refresh {
            let slots = group.operation == .update ? group.slots.compactMap { terms.targets[$0] } : erasure.slots
            for slot in slots { last[slot] = record.sequence }
        }
        // All objects that are not among the rows are gone.
        if isWhole { for slot in erasure.slots { last[slot] = record.sequence } }
        return !groups.isEmpty
    }

    /// Encodes the payloads that need a dictionary without it. Call with the writer's lock held.
    ///
    /// A dictionary that earlier versions trained may have a piece of any value, in the notation of its column, also of
    /// one that was in records that were cut off. So no dictionary stays.
    mutating func dropDictionaries() throws {
        let starts = log.stateLock.withLock { log.contents.starts }
        for start in starts {
            let segment = try log.openSegment(start)
            guard let dictionary = segment.dictionary else { continue }
            droppedDictionaries.insert(dictionary.id)
            var cursor = SegmentCursor(segment)
            while let frame = try Self.next(&cursor) {
                let sequence = frame.header.sequence
                guard frame.header.flags.contains(.dictionary), replacements[sequence] == nil else { continue }
                let raw = try plainPayload(frame, in: segment, decompressor)
                replacements[sequence] = payload(raw, for: frame).redaction.replacement
            }
        }
    }

    private func payload(_ raw: [UInt8], for frame: Frame) -> ReplacementPayload {
        ReplacementPayload(raw, for: frame, compressor: compressor, level: log.options.compressionLevel)
    }

    /// The frame that is to stand for one that was found; nil if it was not.
    mutating func replacedFrame(_ frame: Frame, in segment: Segment) throws -> [UInt8]? {
        guard let digest = replacements[frame.header.sequence] else { return nil }
        let raw = try replacement(for: frame, in: segment) ?? plainPayload(frame, in: segment, decompressor)
        let payload = payload(raw, for: frame)
        guard payload.redaction.replacement == digest else {
            throw LogError(
                .ioFailed, "What was erased from a record is not what was announced; erase again.",
                path: segment.path, offset: frame.offset, sequence: frame.header.sequence, expected: "\(digest)",
                found: "\(payload.redaction.replacement)")
        }
        return payload.frame(in: frame, seed: segment.seed)
    }

    /// Nil if it is of a kind that has no values.
    private func record(_ frame: Frame, in segment: Segment) throws -> LogRecord? {
        guard frame.header.kind == .changes || frame.header.kind == .model else { return nil }
        return try decode(frame, in: segment, decompressor)
    }

    private mutating func replacement(for frame: Frame, in segment: Segment) throws -> [UInt8]? {
        guard var record = try record(frame, in: segment) else { return nil }
        let sequence = record.sequence
        switch record.body {
        case .changes(let changes):
            guard let redacted = try redacted(changes, keeping: { $0 == sequence }) else { return nil }
            record.body = .changes(redacted)
        case .model(var model):
            guard let rows = model.migration?.rows,
                let redacted = try redacted(rows, at: sequence, keeping: { $0 == sequence })
            else { return nil }
            model.migration?.rows = redacted
            record.body = .model(model)
        default: return nil
        }
        // Erases the transaction's random number too: with it, a guessed value could be checked against the digest that
        // stays.
        record.header.id = TransactionID(high: 0, low: 0)
        return PayloadWriter.payload(record.body, record.header)
    }

    /// - Parameter isLast: whether values stay that were set last by this record; none if the object has no more.
    private mutating func redacted(
        _ changes: ChangeSet, at model: SequenceNumber? = nil, keeping isLast: (SequenceNumber?) -> Bool
    ) throws -> ChangeSet? {
        guard var terms = try terms(at: model ?? changes.model) else { return nil }
        terms.kept = Set(terms.targets.filter { isLast(last[$0.value]) }.keys)
        return changes.redacted(terms)
    }

    private mutating func terms(at model: SequenceNumber) throws -> ErasureTerms? {
        if let terms = known[model] { return terms }
        let terms = try log.terms(of: erasure, at: model)
        known[model] = .some(terms)
        return terms
    }

    /// Nil at the end. Damage is never passed over.
    static func next(_ cursor: inout SegmentCursor) throws(LogError) -> Frame? {
        switch try cursor.next() {
        case .frame(let frame): return frame
        case .nothing: return nil
        case .invalid(let error): throw error
        }
    }

    /// Rewrites the baseline, if it has such a value.
    mutating func rewriteBaseline() throws {
        let sequence = log.baseline
        guard sequence > .zero else { return }
        let reader = try BaselineReader(
            sequence, in: log.directory, storeID: log.storeID, fileSystem: log.fileSystem)
        let rewriting = SegmentRewriting(log)
        let file = try rewriting.create()
        guard try redact(reader, into: file) else { return try rewriting.discard() }
        try rewriting.putInPlace(file, log.directory + "/" + Format.baselineName(sequence))
    }

    /// Writes a baseline without the values. Returns whether it had any.
    mutating func redact(_ reader: BaselineReader, into file: any File) throws -> Bool {
        let writer = try attempt { () throws(FileError) in
            try BaselineWriter(file, header: reader.header, level: log.options.compressionLevel)
        }
        var isChanged = false
        while let part = try reader.next() {
            let redacted = try redacted(part, of: reader.sequence)
            if redacted != nil { isChanged = true }
            try writer.write(redacted ?? part)
        }
        try writer.finish()
        return isChanged
    }

    private mutating func redacted(_ part: BaselinePart, of baseline: SequenceNumber) throws -> BaselinePart? {
        switch part {
        case .rows(let changes, let versions):
            return try redacted(changes) { ($0 ?? .zero) <= baseline }.map { .rows($0, versions: versions) }
        case .model(let sequence, var model):
            guard let rows = model.migration?.rows,
                let redacted = try redacted(rows, at: sequence, keeping: { _ in false })
            else { return nil }
            model.migration?.rows = redacted
            return .model(sequence, model)
        case .keys: return nil
        }
    }
}

extension SegmentLog {
    /// An erasure in the terms of the model that a record carries; nil if the object's entity was not there.
    ///
    /// A property that went by the same name and was dropped on the way counts too.
    func terms(of erasure: Erasure, at sequence: SequenceNumber) throws -> ErasureTerms? {
        let steps = try migrations(from: sequence, to: erasure.model)
        let number = erasure.object.entity
        guard let entity = try model(at: sequence).entity(number) else { return nil }
        let key = erasure.object.primaryKey - steps.keyOffset(of: number)
        let object = ObjectKey(entity: number, primaryKey: key)
        if erasure.slots.isEmpty { return ErasureTerms(object: object, slots: nil) }
        let target = try model(at: erasure.model).entity(number)
        let names = Set(erasure.slots.compactMap { slot in target?.properties[Int(slot)].name })
        var terms = ErasureTerms(object: object, slots: [])
        for (index, property) in entity.properties.enumerated() {
            let slot = UInt16(index)
            let now = steps.slot(slot, of: number)
            guard now.map(erasure.slots.contains) ?? names.contains(property.name) else { continue }
            terms.slots?.insert(slot)
            terms.targets[slot] = now
        }
        return terms
    }
}
