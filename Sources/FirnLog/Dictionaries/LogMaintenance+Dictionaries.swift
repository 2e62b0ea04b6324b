extension LogMaintenance {
    /// Begins a segment whose payloads may be compressed with these bytes. False if the last one names them already.
    ///
    /// Earlier versions did so with bytes that they had trained. Packing gains more, and most where payloads are plain.
    package func adopt(dictionary bytes: [UInt8]) throws -> Bool {
        try log.exclusively {
            let dictionary = CompressionDictionary(bytes)
            return try log.stateLock.withLock {
                try log.checkWritable()
                if log.tail.segment.dictionary?.id == dictionary.id { return false }
                try log.roll(to: dictionary)
                return true
            }
        }
    }
}
