import CCrypto

/// Ed25519 signatures (https://www.rfc-editor.org/rfc/rfc8032) with raw keys, by libcrypto
/// (https://docs.openssl.org/3.0/man7/EVP_SIGNATURE-ED25519/).
enum Ed25519 {
    /// Bytes of a private key, and of a public one.
    static let keySize = 32
    static let signatureSize = 64

    /// A refusal of libcrypto.
    struct SigningError: Error, Hashable {
        let operation: String
    }

    static func publicKey(of privateKey: [UInt8]) throws(SigningError) -> [UInt8] {
        let key = try KeyHandle(privateKey: privateKey)
        var bytes = [UInt8](repeating: 0, count: keySize)
        var size = keySize
        // https://docs.openssl.org/3.0/man3/EVP_PKEY_new/
        guard EVP_PKEY_get_raw_public_key(key.handle, &bytes, &size) == 1, size == keySize else {
            throw failure("give the public key")
        }
        return bytes
    }

    /// The 64 bytes that `isValid` accepts. The same key and message always give the same signature.
    static func signature(of message: [UInt8], privateKey: [UInt8]) throws(SigningError) -> [UInt8] {
        let key = try KeyHandle(privateKey: privateKey)
        let context = SigningContext()
        var signature = [UInt8](repeating: 0, count: signatureSize)
        var size = signatureSize
        // https://docs.openssl.org/3.0/man3/EVP_DigestSignInit/
        guard EVP_DigestSignInit(context.handle, nil, nil, nil, key.handle) == 1,
            EVP_DigestSign(context.handle, &signature, &size, message, message.count) == 1, size == signatureSize
        else { throw failure("sign") }
        return signature
    }

    /// Whether the holder of the private key to `publicKey` signed `message`. False for a key or a signature of
    /// another size.
    static func isValid(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureSize, let key = try? KeyHandle(publicKey: publicKey) else { return false }
        let context = SigningContext()
        // https://docs.openssl.org/3.0/man3/EVP_DigestVerifyInit/
        guard EVP_DigestVerifyInit(context.handle, nil, nil, nil, key.handle) == 1,
            EVP_DigestVerify(context.handle, signature, signatureSize, message, message.count) == 1
        else {
            ERR_clear_error()
            return false
        }
        return true
    }

    /// libcrypto keeps a queue of errors for each thread. Clears it, so that no other caller of libcrypto finds
    /// this error (https://docs.openssl.org/3.0/man3/ERR_clear_error/).
    private static func failure(_ operation: String) -> SigningError {
        ERR_clear_error()
        return SigningError(operation: operation)
    }

    /// A key in libcrypto's form (https://docs.openssl.org/3.0/man3/EVP_PKEY_new/).
    private final class KeyHandle {
        let handle: OpaquePointer

        init(privateKey: [UInt8]) throws(SigningError) {
            guard privateKey.count == keySize,
                let handle = EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, privateKey, keySize)
            else { throw failure("read a private key of \(privateKey.count) bytes") }
            self.handle = handle
        }

        init(publicKey: [UInt8]) throws(SigningError) {
            guard publicKey.count == keySize,
                let handle = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, publicKey, keySize)
            else { throw failure("read a public key of \(publicKey.count) bytes") }
            self.handle = handle
        }

        deinit { EVP_PKEY_free(handle) }
    }

    /// The context in which one signature is made or checked (https://docs.openssl.org/3.0/man3/EVP_DigestInit/).
    private final class SigningContext {
        let handle: OpaquePointer

        init() {
            guard let handle = EVP_MD_CTX_new() else { fatalError("no memory for a signature") }
            self.handle = handle
        }

        deinit { EVP_MD_CTX_free(handle) }
    }
}
