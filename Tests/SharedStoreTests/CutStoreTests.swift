import Firn
import FirnModel
import FirnPostgres
import Foundation
import TestSupport
import Testing

@Suite("Shared stores over connections that are cut", .needsPostgres)
struct CutStoreTests {
    @Test(
        "every save is there once, whichever byte its connection is cut after",
        arguments: CuttingProxy.Direction.allCases)
    func everyByte(_ direction: CuttingProxy.Direction) throws {
        PostgresLog.register()
        let name = UUID().uuidString
        let direct = PostgresServer.address(database: "postgres") + "#" + name
        let proxy = try CuttingProxy(serverPort: PostgresServer.port)
        defer { proxy.stop() }
        let machine = try Machine("postgresql://postgres@127.0.0.1:\(proxy.port)/postgres#\(name)")
        try machine.note("0")
        let before = proxy.passed(direction)
        try machine.note("1")
        // The follower's connection carries bytes too: the one that is cut is the one that passes that many first.
        let count = proxy.passed(direction) - before
        var texts = ["0", "1"]
        for byte in stride(from: 0, through: count, by: 3) {
            proxy.cut(direction, after: byte)
            try machine.note("cut after \(byte)")
            texts.append("cut after \(byte)")
        }
        #expect(proxy.cutCount > 20)
        #expect(try Machine(direct).texts() == texts.sorted())
    }
}
