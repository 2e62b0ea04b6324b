extension CompressionDictionary {
    /// Reads the dictionary of that name, and holds it against its name.
    static func load(
        _ id: DictionaryID, in directory: String, fileSystem: any FileSystem
    ) throws(LogError) -> CompressionDictionary {
        let path = directory + "/" + Format.dictionaryName(id)
        let bytes = try attempt { () throws(FileError) in try fileSystem.contents(of: path) }
        let found = DictionaryID(of: bytes)
        guard found == id else {
            throw LogError(
                .damaged, "The dictionary is not what was written; restore the file from a backup.", path: path,
                offset: 0, expected: "\(id)", found: "\(found)")
        }
        return CompressionDictionary(bytes)
    }
}
