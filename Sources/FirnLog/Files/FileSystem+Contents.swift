/// Whole files at once.
extension FileSystem {
    func contents(of path: String) throws(FileError) -> [UInt8] {
        let file = try open(path, .read)
        var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
        let count = try bytes.withMutableBytes { target throws(FileError) in try file.read(into: target, at: 0) }
        return Array(bytes[..<count])
    }

    /// Puts a file with these bytes at `path`, durably, in one step: after a crash there is the old one or this one.
    package func replaceFile(_ path: String, in directory: String, with bytes: [UInt8]) throws(FileError) {
        let unfinished = path + ".tmp"
        if try kind(of: unfinished) != nil { try remove(unfinished) }
        do throws(FileError) {
            let file = try open(unfinished, .create)
            try file.write(bytes.span.bytes, at: 0)
            try file.sync()
            try rename(unfinished, to: path)
        } catch {
            try? remove(unfinished)
            throw error
        }
        try syncDirectory(directory)
    }

    /// Copies a file's bytes to a new file on another file system, durably but for its name. A gap of zeros at the end
    /// stays one.
    func copyFile(_ path: String, to newPath: String, on other: some FileSystem) throws(FileError) {
        if let memory = self as? MemoryFileSystem, let copy = other as? MemoryFileSystem {
            return try memory.copyFile(path, to: newPath, on: copy)
        }
        let source = try open(path, .read)
        let size = try source.size()
        let copy = try other.open(newPath, .create)
        var buffer = [UInt8](repeating: 0, count: Int(min(size, 1 << 20)))
        var offset: Int64 = 0
        while offset < size {
            let count = try buffer.withMutableBytes { target throws(FileError) in
                try source.read(into: target, at: offset)
            }
            if count == 0 { break }
            let read = Array(buffer[..<count])
            if read.contains(where: { $0 != 0 }) {
                try copy.write(read.span.bytes, at: offset)
            }
            offset += Int64(count)
        }
        try copy.allocate(size)
        try copy.sync()
    }
}
