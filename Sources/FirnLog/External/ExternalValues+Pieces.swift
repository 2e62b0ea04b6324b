/// Values that come and go piece by piece, so that one of any size is never held in memory.
extension ExternalValues {
    static let pieceSize = 1 << 20

    /// The values of the files that are whole.
    func references() throws(LogError) -> [ExternalReference] {
        var references: [ExternalReference] = []
        for name in try names() {
            guard let digest = ChainValue(description: name) else { continue }
            let size = try attempt { () throws(FileError) in
                try fileSystem.open(directory + "/" + name, .read).size()
            }
            references.append(ExternalReference(size: Int(size), digest: digest))
        }
        return references
    }

    /// The bytes of the value from an offset on. Throws `damaged` if its file is missing.
    func piece(of reference: ExternalReference, from offset: Int64, sizeMax: Int) throws(LogError) -> [UInt8] {
        let path = path(of: reference)
        do throws(FileError) {
            let file = try fileSystem.open(path, .read)
            var bytes = [UInt8](repeating: 0, count: max(0, min(sizeMax, reference.size - Int(offset))))
            let count = try bytes.withMutableBytes { target throws(FileError) in
                try file.read(into: target, at: offset)
            }
            return Array(bytes[..<count])
        } catch {
            if error.reason != .missing { throw LogError(error) }
            throw problem(reference) ?? LogError(error)
        }
    }

    /// Keeps a value that comes in pieces. It is durable once `syncNames` has returned.
    ///
    /// Throws `damaged` if the pieces are not the value.
    func store(_ reference: ExternalReference, piece: (_ offset: Int64) throws -> [UInt8]) throws {
        if has(reference) { return }
        let unfinished = unfinishedPath(of: reference)
        let file = try attempt { () throws(FileError) in try create(unfinished) }
        do {
            var digest = RunningDigest()
            var offset: Int64 = 0
            while true {
                let bytes = try piece(offset)
                if bytes.isEmpty { break }
                bytes.withUnsafeBytes { digest.update($0) }
                try attempt { () throws(FileError) in
                    try file.write(bytes.span.bytes, at: offset)
                }
                offset += Int64(bytes.count)
            }
            guard offset == Int64(reference.size), digest.value == reference.digest else {
                throw LogError(
                    .damaged, "What came as a value that records name is another one; nothing was kept of it.",
                    path: path(of: reference), expected: "\(reference.size) bytes, \(reference.digest)",
                    found: "\(offset) bytes, \(digest.value)")
            }
            try attempt { () throws(FileError) in try finish(file, unfinished, reference) }
        } catch {
            try? fileSystem.remove(unfinished)
            throw error
        }
    }

    /// Where to write a value first. Nobody else writes there: in a copy of a shared log, a save and a follower may
    /// keep the same value at once.
    func unfinishedPath(of reference: ExternalReference) -> String {
        path(of: reference) + "." + String(UInt64.random(in: 0 ... .max), radix: 16) + Format.unfinishedSuffix
    }

    /// An empty file to write a value into.
    func create(_ unfinished: String) throws(FileError) -> any File {
        try makeFolder()
        return try fileSystem.open(unfinished, .create)
    }

    /// Gives a whole file its name.
    func finish(_ file: any File, _ unfinished: String, _ reference: ExternalReference) throws(FileError) {
        if isSynced { try file.sync() }
        try fileSystem.rename(unfinished, to: path(of: reference))
    }
}
