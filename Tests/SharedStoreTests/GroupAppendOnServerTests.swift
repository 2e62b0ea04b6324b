import FirnLog
import FirnPostgres
import Foundation
import TestSupport
import Testing

@Suite("Records that go to PostgreSQL together", .needsPostgres)
struct GroupAppendOnServerTests {
    private let name = UUID().uuidString
    private var address: String { PostgresServer.address(database: "postgres") + "#" + name }

    init() { PostgresLog.register() }

    @Test("are one statement and one transaction")
    func oneTransaction() throws {
        let machine = try SharingMachine(address)
        #expect(try machine.append("a", "b", "c") == [nil, nil, nil])
        let found = try PostgresServer.run(
            "select count(*), count(distinct r.xmin::text) from firn.record_of_any r "
                + "join firn.store s on s.id = r.store where s.name = '\(name)'",
            at: PostgresServer.address(database: "postgres"))
        #expect(found == ["3|1"])
    }

    @Test(
        "are there once, whichever byte their connection is cut after", arguments: CuttingProxy.Direction.allCases)
    func everyByte(_ direction: CuttingProxy.Direction) throws {
        let proxy = try CuttingProxy(serverPort: PostgresServer.port)
        defer { proxy.stop() }
        let machine = try SharingMachine("postgresql://postgres@127.0.0.1:\(proxy.port)/postgres#\(name)")
        var texts: [String] = []
        func saveThree(_ text: String) throws {
            #expect(try machine.append("\(text)a", "\(text)b", "\(text)c") == [nil, nil, nil])
            texts += ["\(text)a", "\(text)b", "\(text)c"]
        }
        try saveThree("0")
        let before = proxy.passed(direction)
        try saveThree("1")
        // What comes after the append, a notification, is cut too.
        let count = proxy.passed(direction) - before + 40
        for byte in stride(from: 0, through: count, by: 2) {
            proxy.cut(direction, after: byte)
            try saveThree("cut after \(byte)")
        }
        #expect(proxy.cutCount > 40)
        #expect(try machine.log.texts() == texts)
        #expect(try SharingMachine(address).log.texts() == texts)
    }

    @Test("are there all or not at all when a statement gets no answer", arguments: CuttingProxy.Direction.allCases)
    func unanswered(_ direction: CuttingProxy.Direction) throws {
        let proxy = try CuttingProxy(serverPort: PostgresServer.port)
        defer { proxy.stop() }
        try SharingMachine(address).save("0")
        let place = try #require(
            PostgresAddress("postgresql://postgres@127.0.0.1:\(proxy.port)/postgres#\(name)"))
        let machine = try SharingMachine(
            Upstream(PostgresLog.open(at: place, options: PostgresOptions(timeout: 0))))
        var made: [String] = ["0"]
        for byte in [0, 40, 200] {
            proxy.cut(direction, after: byte)
            let errors = try machine.append("\(byte)a", "\(byte)b")
            if errors.allSatisfy({ $0 == nil }) {
                made += ["\(byte)a", "\(byte)b"]
                continue
            }
            #expect(errors.allSatisfy { $0?.code == .outcomeUnknown }, "\(errors)")
            let found = try machine.log.exclusively {
                try errors.map { try machine.log.holds($0?.link ?? .zero, at: $0?.sequence ?? .zero) }
            }
            #expect(Set(found).count == 1, "both or none")
            if found[0] == true { made += ["\(byte)a", "\(byte)b"] }
        }
        #expect(try SharingMachine(address).log.texts() == made)
    }
}
