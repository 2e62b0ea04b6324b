/// The standard library's closures forget the type of what they throw; these keep it.
extension Array where Element == UInt8 {
    func withBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try withUnsafeBytes { buffer in Result { () throws(E) in try body(buffer) } }.get()
    }

    mutating func withMutableBytes<R, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try withUnsafeMutableBytes { buffer in Result { () throws(E) in try body(buffer) } }.get()
    }
}
