import FirnInspection
import FirnLog
import Foundation

/// Where a verification begins: behind a record, or behind what a signed checkpoint says.
struct Since {
    let sequence: SequenceNumber
    /// What was found out about the checkpoint, for a person.
    let finding: String?

    /// Throws if the checkpoint is not what it claims, or the log no longer what was signed.
    init(_ text: String, publicKey: String?, _ log: SegmentLog) throws {
        // A file stands before a point of the same name.
        if let point = Point(text), !FileManager.default.fileExists(atPath: text) || UInt64(text) != nil {
            guard publicKey == nil else { throw Failure("--public-key goes with a checkpoint's file, not a point") }
            let head = try log.refresh()
            if case .sequence(let number) = point { sequence = SequenceNumber(number) } else {
                sequence = try point.explained(in: log).sequence(in: log, of: log.directory)
            }
            finding = nil
            guard sequence <= head else {
                throw Failure("there is no record \(sequence): the log ends with record \(head)")
            }
            return
        }
        guard let contents = try? String(contentsOfFile: text, encoding: .utf8) else {
            throw Failure("\(text): there is no such file, or it cannot be read; give a checkpoint's file, a record's "
                + "number or a date")
        }
        let signed: SignedCheckpoint
        do { signed = try SignedCheckpoint(text: contents) } catch let failure as SignedCheckpoint.Failure {
            throw Failure("\(text): \(failure)")
        }
        if let publicKey, try SigningKey.publicKey(at: publicKey) != signed.publicKey {
            throw Failure("\(text): another key signed the checkpoint than that of \(publicKey)", status: .damage)
        }
        guard signed.isSignatureValid else {
            throw Failure("\(text): the checkpoint was changed after it was signed", status: .damage)
        }
        try log.check(signed.checkpoint)
        sequence = signed.checkpoint.sequence
        finding = "checkpoint: the log up to record \(sequence) is what was signed"
            + (publicKey == nil ? ", by an unknown key; give --public-key to check whose it is" : "")
    }
}
