#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Whether two byte strings of one length are the same.
func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
    return memcmp(leftBase, rightBase, min(left.count, right.count)) == 0
}
