import ArgumentParser
import FirnInspection
import FirnLog

/// `firn push`: a store's log to a server.
struct Push: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a store's log to a PostgreSQL server.",
        discussion: """
            ADDRESS is postgresql://user@host/database#name, with all of libpq's options; name is what the store is \
            called there, or main. The tables are made if the database has none.

            Records keep their bytes, numbers and links, so object IDs and signed checkpoints mean the same there. \
            What is there already is not copied again: a push that was interrupted continues where it stopped, and a \
            later one copies what is new. Every record is checked. If the server has other records than the store, \
            nothing is written.
            """)

    @Argument(help: "The path of the store.", completion: .file()) var store: String
    @Argument(help: "Where to copy it.") var address: String
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        let target = LogLocation(address)
        guard target.isServer else { throw Failure("\(address): an address begins with postgresql://") }
        try transfer(from: LogLocation(store), to: target, json: json)
    }
}

/// `firn pull`: a log from a server into a store here.
struct Pull: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a log from a PostgreSQL server into a store.",
        discussion: """
            The counterpart of push. A store that is not there is made; its tables are built when it is first opened. \
            A store with records that the server does not have is left as it is.
            """)

    @Argument(help: "Where to copy from: postgresql://user@host/database#name.") var address: String
    @Argument(help: "The path of the store.", completion: .file()) var store: String
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        let source = LogLocation(address)
        guard source.isServer else { throw Failure("\(address): an address begins with postgresql://") }
        try transfer(from: source, to: LogLocation(store), json: json)
    }
}

/// Copies once, and says what was done.
private func transfer(from source: LogLocation, to target: LogLocation, json: Bool) throws {
    let log = try source.open()
    let copy = try target.openOrCreate(continuing: log)
    let (count, end) = try LogTransfer(source: log, target: copy).run()
    var output = Output()
    if json {
        output.line(["log": .text(target.name), "records": .number(count), "head": .number(end.sequence.rawValue)])
    } else {
        output.line(
            "\(target.name): \(Counted.text(count, "record")) copied, up to record \(end.sequence); an append "
                + "there is \(try copy.acknowledgement())")
    }
    output.flush()
    copy.close()
    log.close()
}
