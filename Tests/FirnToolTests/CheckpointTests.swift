import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool signs checkpoints and verifies against them")
struct CheckpointTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    /// Test 1 of https://www.rfc-editor.org/rfc/rfc8032#section-7.1, as PEM.
    private let key = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----

        """
    private let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
        -----END PUBLIC KEY-----

        """

    init() throws {
        store = try SampleStore()
        try Data(key.utf8).write(to: store.folder.file("key.pem"))
        try Data(publicKey.utf8).write(to: store.folder.file("public.pem"))
    }

    private func file(_ name: String) -> String { store.folder.file(name).path }

    private func sign(at point: String = "head") throws {
        let result = try firn.run(
            "checkpoint", "--key", file("key.pem"), "--at", point, "--output", file("signed"), store.path)
        #expect(result.status == 0, "\(result.complaints)")
    }

    private func verify(_ arguments: String...) throws -> BuiltProgram.Result {
        try firn.run(["verify", "--since", file("signed")] + arguments + [store.path])
    }

    @Test("a checkpoint holds, also after more was saved and after its past was trimmed")
    func holds() throws {
        try sign(at: "3")
        let result = try verify("--public-key", file("public.pem"))
        #expect(result.status == 0, "\(result.complaints)")
        #expect(result.output.contains("the log up to record 3 is what was signed\n"))
        #expect(try verify().output.contains("by an unknown key"))
        _ = try firn.run("trim", "--keep", "1", store.path)
        #expect(try verify("--public-key", file("public.pem")).status == 0)
        _ = try firn.run("trim", "--keep", "0", store.path)
        #expect(try verify().complaints.contains("was cut off"))
    }

    @Test("a log with another past is found out, though its own chain holds")
    func forged() throws {
        try sign()
        try FileManager.default.removeItem(atPath: store.path + "-log")
        let other = try SegmentLog.create(
            directory: store.path + "-log", storeID: store.log.storeID, date: 0)
        let record = try other.exclusively {
            for key in 1...4 as ClosedRange<Int64> {
                try other.append(
                    .reservation([SampleStore.person: key]),
                    header: TransactionHeader(date: 0, id: TransactionID(high: 1, low: 1)))
            }
            return other.head
        }
        try other.sync(through: record)
        let result = try verify()
        #expect(result.status == 1)
        #expect(result.complaints.contains("is not what it was when the checkpoint was taken"))
    }

    @Test("a changed checkpoint, another's key and another store are refused")
    func refused() throws {
        try sign()
        let text = try String(contentsOfFile: file("signed"), encoding: .utf8)
        try Data(text.replacingOccurrences(of: "record 4", with: "record 3").utf8)
            .write(to: URL(fileURLWithPath: file("signed")))
        #expect(try verify().complaints.contains("changed after it was signed"))
        try Data(text.utf8).write(to: URL(fileURLWithPath: file("signed")))
        let digit = publicKey.replacingOccurrences(of: "11qYAY", with: "22qYAY")
        try Data(digit.utf8).write(to: store.folder.file("public.pem"))
        let result = try verify("--public-key", file("public.pem"))
        #expect(result.status == 1)
        #expect(result.complaints.contains("another key signed"))
        #expect(try firn.run("verify", "--since", file("key.pem"), store.path).complaints.contains("no checkpoint"))
        #expect(try verify("--public-key", file("key.pem")).complaints.contains("no Ed25519 public key"))
    }

    @Test("verify since a record looks at the log from its segment on")
    func number() throws {
        #expect(try firn.run("verify", "--since", "2", store.path).status == 0)
        #expect(try firn.run("verify", "--since", "5", store.path).status == 2)
    }

    @Test("completion scripts are written for each shell", arguments: ["bash", "zsh", "fish"])
    func completion(_ shell: String) throws {
        let result = try firn.run("--generate-completion-script", shell)
        #expect(result.status == 0)
        #expect(result.output.contains("import-changes"))
    }
}
