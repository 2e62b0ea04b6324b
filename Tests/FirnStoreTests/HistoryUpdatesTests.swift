import FirnStore
import TestSupport
import Testing

@Suite("Updates of the history tables")
struct HistoryUpdatesTests {
    @Test("one that is asked for while another one runs comes after it")
    func meanwhile() throws {
        let updates = HistoryUpdates()
        let gate = Gate(isClosed: true)
        updates.setUpdate { gate.pass() }
        updates.schedule()
        try gate.waitForArrival()
        updates.schedule()
        gate.open()
        updates.finish()
        #expect(gate.count == 2)
    }
}
