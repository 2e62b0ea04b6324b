import FirnLog
import Testing

@Suite("Random numbers that are drawn many at a time")
struct RandomNumberTests {
    @Test("are never given by a process and by one that was forked off it")
    func forkedNumbers() {
        var last: UInt64 = 0
        func draw() -> [UInt64] {
            last += 10
            return Array(last..<last + 10)
        }
        var ofParent = RandomNumbers()
        var given: Set<TransactionID> = []
        for _ in 0..<3 { given.insert(ofParent.transactionID(forkCount: 0, drawing: draw)) }
        var ofChild = ofParent
        for _ in 0..<100 { given.insert(ofParent.transactionID(forkCount: 0, drawing: draw)) }
        for _ in 0..<100 { given.insert(ofChild.transactionID(forkCount: 1, drawing: draw)) }
        #expect(given.count == 203)
    }
}
