/// Bytes that the user of a log keeps in its folder: what belongs to the store as a whole, and not to a record.
extension SegmentLog {
    /// The bytes; nil if none were ever stored.
    public func attachment() throws -> [UInt8]? {
        try Self.attachment(directory: directory, fileSystem: fileSystem)
    }

    public static func attachment(
        directory: String, fileSystem: any FileSystem = PosixFileSystem()
    ) throws -> [UInt8]? {
        let path = directory + "/" + Format.attachmentName
        return try attempt { () throws(FileError) in
            try fileSystem.kind(of: path) == nil ? nil : try fileSystem.contents(of: path)
        }
    }

    public static func store(
        attachment bytes: [UInt8], directory: String, fileSystem: any FileSystem = PosixFileSystem()
    ) throws {
        try attempt { () throws(FileError) in
            try fileSystem.replaceFile(directory + "/" + Format.attachmentName, in: directory, with: bytes)
        }
    }
}
