import GitHistory
import Testing

@Suite("Progress says how far, how fast and how long")
struct ProgressLineTests {
    @Test("a line has count, rate and time left")
    func text() {
        let line = ProgressLine(what: "commits", done: 1000, total: 3000, seconds: 2)
        #expect(line.text == "1000/3000 commits  500/s  4 s left")
    }

    @Test("before the first there is no rate")
    func beginning() {
        let line = ProgressLine(what: "commits", done: 0, total: 3000, seconds: 0)
        #expect(line.text == "0/3000 commits")
    }

    @Test("a bar fills with the count", arguments: [(0, 0), (5, 12), (10, 24)])
    func bar(_ done: Int, _ filled: Int) {
        let line = ProgressLine(what: "commits", done: done, total: 10, seconds: 1)
        #expect(line.bar.filter { $0 == "█" }.count == filled)
    }

    @Test(
        "a time is told in the unit that fits",
        arguments: [(7.2, "8 s"), (185, "3 min 05 s"), (7800, "2 h 10 min")])
    func time(_ seconds: Double, _ text: String) {
        #expect(ProgressLine.time(seconds) == text)
    }
}
