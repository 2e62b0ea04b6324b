import CCrypto

/// SHA-256 of bytes that come piece by piece (https://docs.openssl.org/3.0/man3/SHA256_Init/).
///
/// The state is a value of 112 bytes: hashing allocates nothing, and a copy continues on its own. The
/// functions of `EVP_DigestInit`, which OpenSSL 3 recommends, need a context for each digest: for 200 bytes they take
/// half as long again.
package struct RunningDigest {
    /// None of the three functions fails: they only compute.
    private var state = SHA256_CTX()

    package init() { SHA256_Init(&state) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&state, bytes.baseAddress, bytes.count)
    }

    /// The digest of all bytes so far.
    package var value: ChainValue {
        var state = state
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ChainValue.size) { digest in
            SHA256_Final(digest.baseAddress, &state)
            return ChainValue(bytes: UnsafeRawBufferPointer(digest))
        }
    }
}
