import ArgumentParser
import FirnInspection
import FirnLog
import Foundation

/// `firn checkpoint`: a signed statement of what the log holds.
struct Checkpoint: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Signs the log up to a record, so that later changes to it are found.",
        discussion: """
            Writes a few lines of text: the store, a record, its link (a digest of all records up to it), and an \
            Ed25519 signature. Store them out of reach of those who can write to the store. 'firn verify --since FILE' \
            compares the log with them. Trimming up to that record, and erasing values, keep the checkpoint valid. \
            Keys are PEM files:

                openssl genpkey -algorithm ed25519 -out key.pem
                openssl pkey -in key.pem -pubout -out public.pem
            """)

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("The private key to sign with.", valueName: "file"), completion: .file())
    var key: String
    @Option(help: ArgumentHelp("The record; the last one by default.", valueName: "point"), transform: Point.parse)
    var at: Point = .head
    @Option(help: ArgumentHelp("Write to this file.", valueName: "file"), completion: .file()) var output: String?
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        let key = try SigningKey.privateKey(at: key)
        let log = try options.openLog(.refuse)
        let sequence = try at.explained(in: log).sequence(in: log, of: options.path)
        guard sequence > log.baseline else {
            throw Failure(
                log.head < log.first
                    ? "\(options.path): there are no records to sign"
                    : "\(options.path): there is no record \(sequence) to sign; name one of \(log.first) to \(log.head)"
            )
        }
        let signed = try SignedCheckpoint(try log.checkpoint(at: sequence), privateKey: key)
        let text = json ? object(signed).line + "\n" : signed.text
        guard let output else { return Console.write(text) }
        guard !FileManager.default.fileExists(atPath: output) else {
            throw Failure("\(output): there is a file already; name another one")
        }
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: output), options: .withoutOverwriting) } catch {
            // On a full disk the file is there, and empty. One that another program wrote meanwhile stays.
            if (error as? CocoaError)?.code != .fileWriteFileExists {
                try? FileManager.default.removeItem(atPath: output)
            }
            throw Failure("\(output): it cannot be written: \((error as NSError).localizedDescription)")
        }
        Console.write("\(output): the log of \(options.path) up to record \(sequence), signed\n")
    }

    private func object(_ signed: SignedCheckpoint) -> JSONObject {
        return [
            "store": .text(options.path), "sequence": .number(signed.checkpoint.sequence.rawValue),
            "date": .text(LogDate(signed.checkpoint.date).iso8601), "link": .text("\(signed.checkpoint.link)"),
            "checkpoint": .text(signed.text),
        ]
    }
}
