import FirnInspection
import Foundation

/// An Ed25519 key in a PEM file, as `openssl genpkey -algorithm ed25519` writes it
/// (https://www.rfc-editor.org/rfc/rfc8410): a fixed beginning, then the key's 32 bytes.
enum SigningKey {
    private static let privateStart: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
    private static let publicStart: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
    private static let size = 32

    static func privateKey(at path: String) throws -> [UInt8] {
        try read(path, "PRIVATE KEY", privateStart) { "'openssl genpkey -algorithm ed25519 -out \($0)' makes one" }
    }

    static func publicKey(at path: String) throws -> [UInt8] {
        try read(path, "PUBLIC KEY", publicStart) {
            "'openssl pkey -in PRIVATE.pem -pubout -out \($0)' writes that of a private key"
        }
    }

    /// - Parameter command: a hint that writes to the file at a path. It never names a file that is there: that
    ///   may be somebody's only private key.
    private static func read(
        _ path: String, _ label: String, _ start: [UInt8], _ command: (_ output: String) -> String
    ) throws -> [UInt8] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure("\(path): there is no such file; " + command(path))
        }
        let text: String
        do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw Failure("\(path): it cannot be read as a key: \((error as NSError).localizedDescription)")
        }
        let lines = text.split(whereSeparator: \.isNewline)
        let inner = lines.drop { $0 != "-----BEGIN \(label)-----" }.dropFirst()
            .prefix { $0 != "-----END \(label)-----" }
        if let bytes = Data(base64Encoded: inner.joined()), bytes.count == start.count + size,
            bytes.starts(with: start)
        {
            return Array(bytes.suffix(size))
        }
        let what = "\(path): this is no Ed25519 \(label.lowercased()) in PEM"
        if label == "PUBLIC KEY", text.contains("PRIVATE KEY-----") {
            throw Failure(
                "\(what) but a private one; 'openssl pkey -in \(path) -pubout -out PUBLIC.pem' writes its public key")
        }
        throw Failure("\(what); " + command(label == "PUBLIC KEY" ? "PUBLIC.pem" : "NEW.pem"))
    }
}
