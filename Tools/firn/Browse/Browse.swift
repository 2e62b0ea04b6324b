import ArgumentParser
import FirnLog

/// `firn browse`: the history of a store on the whole screen.
struct Browse: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Walks through the history on the whole screen of a terminal.",
        discussion: """
            A list of the records, oldest first, and each with every value, old and new.

              ↑ ↓, j k, PgUp PgDn, space   move, or scroll
              g G, Home End                to the first, to the last record
              Enter                        show the record
              /text Enter, n, N            search in every value, the next, the one before
              :point Enter                 go to a record: a number, a date, head
              ← →                          the record before, the record after
              q, Esc                       back; in the list q ends, as Ctrl-C does anywhere

            Records that are saved meanwhile appear with the next key. Nothing is changed.
            """)

    @OptionGroup var options: StoreOptions

    func run() throws {
        let log = try options.openLog()
        var browser = Browser(log, path: options.path)
        let terminal = try Terminal()
        defer { terminal.restore() }
        repeat {
            terminal.draw(try browser.screen(terminal.size))
        } while try browser.handle(terminal.key(), terminal.size)
    }
}
