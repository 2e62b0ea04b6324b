import Firn
import FirnPostgres
import Foundation
import TestSupport
import Testing

@Suite("Addresses of shared stores as texts")
struct AddressTextTests {
    init() { PostgresLog.register() }

    @Test("several hosts and ports make a URL that stands for the same address")
    func hosts() throws {
        let text = "postgresql://ada:p%40ss@db1:5432,db2:5433/library?sslmode=require#My%20Notes"
        let url = try #require(URL(sharedLog: text))
        let address = try #require(PostgresAddress(url.absoluteString))
        #expect(address.description == "postgresql://ada@db1:5432,db2:5433/library#My Notes")
        #expect(url.query()?.contains("sslmode=require") == true)
        #expect(url.query()?.contains("password=p%40ss") == true)
    }

    @Test("an address that is a URL stays as it is")
    func single() {
        let text = "postgresql://ada@db:5433/library?sslmode=require#Notes"
        #expect(URL(sharedLog: text)?.absoluteString == text)
    }

    @Test("a text that nothing in the program opens makes none")
    func unknown() {
        #expect(URL(sharedLog: "mysql://db/library") == nil)
        #expect(URL(sharedLog: "postgresql://db/library#") == nil)
    }

    @Test("a store opens at an address with several hosts and ports, of which one is there", .needsPostgres)
    func opening() throws {
        let address =
            "postgresql://postgres@127.0.0.1:1,127.0.0.1:\(PostgresServer.port)/postgres#\(UUID().uuidString)"
        let machine = try Machine(address)
        try machine.note("one")
        #expect(try Machine(address).texts() == ["one"])
        #expect(machine.store.sharedLogState?.place == address)
    }
}
