import FirnLog
import TestSupport
import Testing

/// Damaged texts and bytes that a log reads by themselves.
@Suite("Mutated checkpoints and runs of frames")
struct MutatedFilesConformanceTests {
    @Test("m.15 the greatest sequence number, which a damaged token may have, has no next one")
    func greatestNumber() {
        #expect(SequenceNumber(.max).next == SequenceNumber(.max))
    }

    @Test("m.15 mutations of a signed checkpoint are refused or read, never as signed, and never crash")
    func checkpoints() throws {
        let checkpoint = LogCheckpoint(
            storeID: Samples.storeID, sequence: 120, date: Samples.date,
            link: LogCheckpoint.beginning(of: Samples.storeID).link)
        let signed = try SignedCheckpoint(checkpoint, privateKey: [UInt8](repeating: 7, count: 32))
        var mutations = Mutations("signed checkpoint", usualCount: 300)
        let silent = mutations.run([Array(signed.text.utf8)]) { bytes in
            let read = try SignedCheckpoint(text: String(decoding: bytes, as: UTF8.self))
            #expect(!read.isSignatureValid || read.checkpoint == checkpoint)
        }
        #expect(silent == [])
    }

    @Test("m.15 mutations of frames that a server gives are refused or read, and never crash")
    func frames() throws {
        let start = LogCheckpoint.beginning(of: Samples.storeID)
        let run = try FrameEncoder().run(
            [(.model(Samples.model), Samples.header()), (Samples.oneNote(1), Samples.header(2))], after: start)
        var mutations = Mutations("frames of a server", usualCount: 300)
        let silent = mutations.run([run.bytes]) { bytes in
            let read = try FrameRun(checking: bytes, after: start, place: "a test")
            _ = try FrameDecoder().records(read, place: "a test")
        }
        #expect(silent == [])
    }
}
