import FirnLog
import Testing

@Suite("Digests and signatures")
struct SignatureTests {
    private func digest(_ pieces: [[UInt8]]) -> String {
        var digest = RunningDigest()
        for piece in pieces { piece.withUnsafeBytes { digest.update($0) } }
        return digest.value.description
    }

    /// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
    @Test("SHA-256 gives the values of its standard, in whatever pieces the bytes come")
    func digests() {
        #expect(digest([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(digest([Array("abc".utf8)]) == abc)
        #expect(digest([Array("a".utf8), [], Array("bc".utf8)]) == abc)
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(digest([letters]) == million)
        #expect(digest([Array(letters[..<63]), Array(letters[63..<400_000]), Array(letters[400_000...])]) == million)
    }

    @Test("A digest that was asked for its value continues, and so does a copy of it")
    func digestContinues() {
        var digest = RunningDigest()
        Array("a".utf8).withUnsafeBytes { digest.update($0) }
        let first = digest.value
        var copy = digest
        Array("b".utf8).withUnsafeBytes { copy.update($0) }
        #expect(digest.value == first)
        Array("b".utf8).withUnsafeBytes { digest.update($0) }
        #expect(digest.value == copy.value)
        #expect(digest.value != first)
    }

    private static let checkpoint = LogCheckpoint(
        storeID: Samples.storeID, sequence: 120, date: Samples.date, link: .zero)

    /// Written by the version of 2026-11, which signed with swift-crypto.
    private static let signedBefore = """
        firn checkpoint 1
        store 01234567-89AB-4DEF-8123-456789ABCDEF
        record 120
        date 1700000000000000
        link 0000000000000000000000000000000000000000000000000000000000000000
        key ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c
        signature e19537c6ab221160bb04a939772a9caca98cc162b87648ee3adeb210e91b1940\
        6ed81d1af51b77b1522924797f0ea291039a1704951bfa183985cff6946b520a

        """

    @Test("A checkpoint that an earlier version signed is valid, and is signed alike today")
    func earlierSignature() throws {
        let before = try SignedCheckpoint(text: Self.signedBefore)
        #expect(before.isSignatureValid)
        #expect(before.checkpoint == Self.checkpoint)
        #expect(try SignedCheckpoint(Self.checkpoint, privateKey: [UInt8](repeating: 7, count: 32)) == before)
    }

    @Test("A signature of another key, record or byte is not valid")
    func wrongSignatures() throws {
        let text = Self.signedBefore
        #expect(try !SignedCheckpoint(text: text.replacing("record 120", with: "record 121")).isSignatureValid)
        let other = try SignedCheckpoint(Self.checkpoint, privateKey: [UInt8](repeating: 8, count: 32))
        #expect(other.isSignatureValid)
        let key = try #require(text.split(separator: "\n").first { $0.hasPrefix("key ") })
        let otherKey = try #require(other.text.split(separator: "\n").first { $0.hasPrefix("key ") })
        #expect(try !SignedCheckpoint(text: text.replacing(key, with: otherKey)).isSignatureValid)
        let signature = try #require(text.split(separator: "\n").first { $0.hasPrefix("signature ") })
        for (digit, change) in [("0", "1"), ("a", "b")] {
            let changed = "signature " + signature.dropFirst(10).replacing(digit, with: change)
            #expect(try !SignedCheckpoint(text: text.replacing(signature, with: changed)).isSignatureValid)
        }
    }

    @Test("A private key of another size than 32 bytes is refused", arguments: [0, 31, 33, 64])
    func keySize(_ size: Int) {
        #expect(throws: SignedCheckpoint.Failure.self) {
            try SignedCheckpoint(Self.checkpoint, privateKey: [UInt8](repeating: 7, count: size))
        }
    }
}
