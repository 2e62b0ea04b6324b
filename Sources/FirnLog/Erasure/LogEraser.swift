/// One erasure on its way through a log. The trim lock is held meanwhile.
struct LogEraser {
    private let log: SegmentLog
    private let erasure: Erasure
    private let compressor = Compressor()
    private let decompressor = Decompressor()
    private var known: [SequenceNumber: ErasureTerms?] = [:]
    /// What will stand for the payloads of records.
    private(set) var replacements: [SequenceNumber: ReplacementPayload] = [:]
    /// Texts and blobs that were found.
    private var values: Set<[UInt8]> = []
    /// Dictionaries that may tell of them, which no segment may name any more.
    private(set) var droppedDictionaries: Set<DictionaryID> = []

    init(_ log: SegmentLog, _ erasure: Erasure) {
        self.log = log
        self.erasure = erasure
    }

    /// The erasure as it is to stand in the log.
    var record: Erasure {
        var record = erasure
        record.replaced = replacements.sorted { $0.key < $1.key }.map {
            .init(sequence: $0.key, digest: $0.value.redaction.replacement)
        }
        return record
    }

    /// Finds the records that have such a value.
    ///
    /// Complexity: reads the whole log; what stands for the records found is kept in memory.
    mutating func search() throws {
        let (starts, head) = log.monitor.locked { (log.segmentStarts, log.tail.head) }
        for start in starts {
            let segment = try Segment.open(
                start, in: log.directory, storeID: log.storeID, forWriting: false, fileSystem: log.fileSystem)
            var cursor = SegmentCursor(segment)
            // What stands after the head may be a write under way.
            while cursor.sequence <= head, let frame = try Self.next(&cursor) {
                guard let raw = try replacement(for: frame, in: segment) else { continue }
                replacements[frame.header.sequence] = ReplacementPayload(
                    raw, for: frame, compressor: compressor, level: log.options.compressionLevel)
            }
        }
    }

    /// With the writer's lock: finds the dictionaries that tell of a value, and gives the payloads that are compressed
    /// with them another form.
    ///
    /// - Parameter all: whether every dictionary may tell of it: an interrupted erasure has left nothing to look for.
    mutating func searchDictionaries(all: Bool) throws {
        let starts = log.monitor.locked { log.segmentStarts }
        for start in starts {
            let segment = try Segment.open(
                start, in: log.directory, storeID: log.storeID, forWriting: false, fileSystem: log.fileSystem)
            guard let dictionary = segment.dictionary, all || values.contains(where: dictionary.tells) else { continue }
            droppedDictionaries.insert(dictionary.id)
            var cursor = SegmentCursor(segment)
            while let frame = try Self.next(&cursor) {
                let sequence = frame.header.sequence
                guard frame.header.flags.contains(.dictionary), replacements[sequence] == nil else { continue }
                let raw = try plainPayload(frame, in: segment, decompressor)
                replacements[sequence] = ReplacementPayload(
                    raw, for: frame, compressor: compressor, level: log.options.compressionLevel)
            }
        }
    }

    private mutating func replacement(for frame: Frame, in segment: Segment) throws -> [UInt8]? {
        guard frame.header.kind == .changes || frame.header.kind == .model else { return nil }
        var record = try decode(frame, in: segment, decompressor)
        switch record.body {
        case .changes(let changes):
            guard let redacted = try redacted(changes) else { return nil }
            record.body = .changes(redacted)
        case .model(var model):
            guard let rows = model.migration?.rows, let redacted = try redacted(rows, at: record.sequence) else {
                return nil
            }
            model.migration?.rows = redacted
            record.body = .model(model)
        default: return nil
        }
        // The random number of the transaction goes too: with it, whoever guesses the values could hold them against
        // the digest that stays.
        record.header.id = TransactionID(high: 0, low: 0)
        return PayloadWriter.payload(record.body, record.header)
    }

    private mutating func redacted(_ changes: ChangeSet, at model: SequenceNumber? = nil) throws -> ChangeSet? {
        let model = model ?? changes.model
        if known[model] == nil { known[model] = .some(try log.terms(of: erasure, at: model)) }
        guard let terms = known[model].flatMap({ $0 }), let redacted = changes.redacted(terms) else { return nil }
        values.formUnion(changes.values(terms))
        return redacted
    }

    /// Writes the segments of the records that were found anew. None of them is the last one.
    func rewriteSegments() throws {
        let starts = log.monitor.locked { log.segmentStarts }
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : SequenceNumber(.max)
            let path = log.directory + "/" + Format.segmentName(start)
            let file = try attempt { () throws(FileError) in try log.fileSystem.open(path, .read) }
            let dictionary = try SegmentHeader(reading: file, path: path).dictionary
            let isDropped = dictionary.map(droppedDictionaries.contains) ?? false
            guard isDropped || replacements.keys.contains(where: { $0 >= start && $0 < end }) else { continue }
            try rewrite(start, through: end)
        }
    }

    /// - Parameter following: the first record of the segment that follows.
    private func rewrite(_ start: SequenceNumber, through following: SequenceNumber) throws(LogError) {
        let segment = try Segment.open(
            start, in: log.directory, storeID: log.storeID, forWriting: false, fileSystem: log.fileSystem)
        var cursor = SegmentCursor(segment)
        let file = try create()
        var end = Int64(Format.segmentHeaderSize)
        var header = segment.header
        if let dictionary = header.dictionary, droppedDictionaries.contains(dictionary) { header.dictionary = nil }
        try append(header.encoded(), to: file, at: 0)
        while let frame = try Self.next(&cursor) {
            let bytes: [UInt8]
            if let replacement = replacements[frame.header.sequence] {
                bytes = replacement.frame(in: frame, seed: segment.seed)
            } else {
                bytes = try read(segment.file, at: frame.offset, count: frame.header.frameSize)
            }
            try append(bytes, to: file, at: end)
            end += Int64(bytes.count)
        }
        guard cursor.sequence == following else {
            throw LogError(
                .damaged, "Records are gone at the segment's end, so nothing was erased; restore it from a backup.",
                path: segment.path, offset: cursor.offset, sequence: cursor.sequence,
                expected: "record \(cursor.sequence)", found: "the end")
        }
        try putInPlace(file, segment.path)
    }

    /// Nil at the end. Damage is never passed over.
    private static func next(_ cursor: inout SegmentCursor) throws(LogError) -> Frame? {
        switch try cursor.next() {
        case .frame(let frame): return frame
        case .nothing: return nil
        case .invalid(let error): throw error
        }
    }

    /// Writes the baseline anew, if it has such a value.
    mutating func rewriteBaseline() throws {
        let sequence = log.baseline
        guard sequence > .zero else { return }
        let reader = try BaselineReader(
            sequence, in: log.directory, storeID: log.storeID, fileSystem: log.fileSystem)
        let file = try create()
        let writer = try attempt { () throws(FileError) in
            try BaselineWriter(file, header: reader.header, level: log.options.compressionLevel)
        }
        var isChanged = false
        while let part = try reader.next() {
            let redacted = try redacted(part)
            if redacted != nil { isChanged = true }
            try writer.write(redacted ?? part)
        }
        try writer.finish()
        guard isChanged else {
            return try attempt { () throws(FileError) in try log.fileSystem.remove(unfinished) }
        }
        try putInPlace(file, log.directory + "/" + Format.baselineName(sequence))
    }

    private mutating func redacted(_ part: BaselinePart) throws -> BaselinePart? {
        switch part {
        case .rows(let changes, let versions): return try redacted(changes).map { .rows($0, versions: versions) }
        case .model(let sequence, var model):
            guard let rows = model.migration?.rows, let redacted = try redacted(rows, at: sequence) else { return nil }
            model.migration?.rows = redacted
            return .model(sequence, model)
        case .keys: return nil
        }
    }

    private var unfinished: String { log.directory + "/" + Format.unfinishedErasureName }

    private func create() throws(LogError) -> any File {
        try attempt { () throws(FileError) in
            if try log.fileSystem.kind(of: unfinished) != nil { try log.fileSystem.remove(unfinished) }
            return try log.fileSystem.open(unfinished, .create)
        }
    }

    private func append(_ bytes: [UInt8], to file: any File, at offset: Int64) throws(LogError) {
        try attempt { () throws(FileError) in
            try bytes.withBytes { bytes throws(FileError) in try file.write(bytes, at: offset) }
        }
    }

    private func read(_ file: any File, at offset: Int64, count: Int) throws(LogError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        _ = try bytes.withMutableBytes { target throws(LogError) in
            try attempt { () throws(FileError) in try file.read(into: target, at: offset) }
        }
        return bytes
    }

    private func putInPlace(_ file: any File, _ path: String) throws(LogError) {
        try attempt { () throws(FileError) in
            try file.sync()
            try log.fileSystem.rename(unfinished, to: path)
            try log.fileSystem.syncDirectory(log.directory)
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
        let slots = entity.properties.indices.filter { index in
            names.contains(entity.properties[index].name)
                || steps.slot(UInt16(index), of: number).map(erasure.slots.contains) ?? false
        }
        return ErasureTerms(object: object, slots: Set(slots.map(UInt16.init)))
    }
}
