import FirnInspection
import Foundation
import Testing

@Suite("Moments as people name them")
struct MomentTests {
    /// Thursday, 2026-11-26 15:18:06.25 in Berlin.
    private let berlin = Self.clock("2026-11-26T14:18:06.25Z", "Europe/Berlin")

    private static func clock(_ now: String, _ zone: String) -> WallClock {
        WallClock(now: LogDate(parsing: now)!, zone: TimeZone(identifier: zone)!)
    }

    private func universal(_ text: String, _ clock: WallClock) -> String? {
        Moment(text, on: clock).map { String($0.date.iso8601) }
    }

    @Test(
        "words are read by the clock's date and zone",
        arguments: [
            ("today", "2026-11-26 00:00"), ("yesterday", "2026-11-25 00:00"), ("Yesterday 10:30", "2026-11-25 10:30"),
            ("yesterday at 9:05:07", "2026-11-25 09:05:07"), ("yesterday-noon", "2026-11-25 12:00"),
            ("monday", "2026-11-23 00:00"), ("thursday", "2026-11-26 00:00"), ("fri", "2026-11-20 00:00"),
            ("last thursday", "2026-11-19 00:00"), ("last mon", "2026-11-23 00:00"),
            ("thursday 10:30", "2026-11-26 10:30"), ("thursday 18:00", "2026-11-19 18:00"),
            ("10:30", "2026-11-26 10:30"), ("18:00", "2026-11-25 18:00"), ("3pm", "2026-11-26 15:00"),
            ("12am", "2026-11-26 00:00"), ("noon", "2026-11-26 12:00"), ("today 18:00", "2026-11-26 18:00"),
            ("this week", "2026-11-23 00:00"), ("last week", "2026-11-16 00:00"), ("last-week", "2026-11-16 00:00"),
            ("this month", "2026-11-01 00:00"), ("last month", "2026-10-01 00:00"), ("last year", "2025-01-01 00:00"),
            ("2026-11-20", "2026-11-20 00:00"), ("2026-11-20 10:30", "2026-11-20 10:30"),
            ("2026-11-20 3pm", "2026-11-20 15:00"), ("2026-07-20 10:30", "2026-07-20 10:30"),
        ])
    func words(_ text: String, _ local: String) {
        let expected = LogDate(parsing: local, on: berlin)
        #expect(universal(text, berlin) == expected?.iso8601)
    }

    @Test(
        "spans count back from the present, to the fraction of a second",
        arguments: [
            ("-2h", "2026-11-26T12:18:06.250000Z"), ("-1h30m", "2026-11-26T12:48:06.250000Z"),
            ("90 min ago", "2026-11-26T12:48:06.250000Z"), ("an hour ago", "2026-11-26T13:18:06.250000Z"),
            ("-45s", "2026-11-26T14:17:21.250000Z"), ("-1d", "2026-11-25T14:18:06.250000Z"),
            ("2 weeks ago", "2026-11-12T14:18:06.250000Z"), ("now", "2026-11-26T14:18:06.250000Z"),
            ("3 days ago 10:30", "2026-11-23T09:30:00.000000Z"), ("a year ago", "2025-11-26T14:18:06.250000Z"),
        ])
    func spans(_ text: String, _ expected: String) { #expect(universal(text, berlin) == expected) }

    @Test("a time in whole seconds ends with its second, another one where it is", arguments: [
        ("10:30:15", 999_999), ("monday 9:05:07", 999_999), ("2026-11-20T10:30:15Z", 999_999),
        ("2026-11-20 10:30:15 +01:00", 999_999), ("2026-11-20 10:30:15.5", 0), ("2026-11-20 10:30", 0),
        ("2026-11-20 10:30+01:00", 0), ("2026-11-20", 0), ("-2h", 0), ("now", 0),
    ])
    func ends(_ text: String, _ rest: Int64) throws {
        let moment = try #require(Moment(text, on: berlin))
        #expect(moment.end.microseconds - moment.date.microseconds == rest)
    }

    @Test("days and months keep the time of day over a change of clocks, hours do not")
    func summerTime() {
        let clock = Self.clock("2026-10-26T09:00:00Z", "Europe/Berlin")
        #expect(universal("-2d", clock) == "2026-10-24T08:00:00.000000Z")
        #expect(universal("-48h", clock) == "2026-10-24T09:00:00.000000Z")
        #expect(universal("a month ago", clock) == "2026-09-26T08:00:00.000000Z")
    }

    @Test("hours that clocks skip are no parts of a day, and the last moment of each part is said without doubt",
        arguments: [("2026-03-29", ["00", "01", "03", "04"]), ("2026-10-25", ["00", "01", "02", "03", "04"])])
    func hours(_ day: String, _ names: [String]) throws {
        let ends = try ["00:30", "04:30"].map { try #require(LogDate(parsing: "\(day) \($0)", on: berlin)) }
        let periods = CalendarPeriods(from: ends[0], to: ends[1], countMax: 26, on: berlin).periods
        #expect(periods.map(\.name) == names.map { "\(day) \($0):00" })
        let last = periods.map { LogDate(parsing: $0.to, on: berlin)?.microseconds }
        #expect(last == periods.map { $0.end.microseconds - 1 })
    }

    @Test("a month before the 31st is the last day of a shorter month")
    func shortMonth() {
        let clock = Self.clock("2026-03-31T10:00:00Z", "UTC")
        #expect(universal("-1mo", clock) == "2026-02-28T10:00:00.000000Z")
        #expect(universal("-13 months", clock) == "2025-02-28T10:00:00.000000Z")
    }

    @Test("a time that the clocks show twice is the first one")
    func twice() { #expect(universal("2026-10-25 02:30", berlin) == "2026-10-25T00:30:00.000000Z") }

    @Test("a time that the clocks skip is as long after the change")
    func skipped() {
        #expect(universal("2026-03-29 02:30", berlin) == "2026-03-29T01:30:00.000000Z")
        let cairo = Self.clock("2026-11-26T14:00:00Z", "Africa/Cairo")
        #expect(universal("2026-04-24", cairo) == "2026-04-23T22:00:00.000000Z", "midnight is 01:00")
    }

    @Test("a zone in the text holds, and need not be printed back")
    func zone() {
        for text in ["2026-11-20T10:30:00Z", "2026-11-20 12:30+02:00", "2026-11-20 05:00:00 -05:30"] {
            #expect(universal(text, berlin) == "2026-11-20T10:30:00.000000Z")
            #expect(Moment(text, on: berlin)?.isUniversal == true)
        }
    }

    @Test("what a clock's text says is read as the same moment")
    func roundTrip() throws {
        let date = try #require(LogDate(parsing: "2026-07-20T10:30:05Z"))
        #expect(berlin.text(date) == "2026-07-20 12:30:05 +02:00")
        #expect(universal(berlin.text(date), berlin) == date.iso8601)
    }

    @Test("what was understood is printed back, with the zone's offset")
    func reading() {
        #expect(Moment("Monday  10:30", on: berlin)?.reading == "monday 10:30 is 2026-11-23 10:30:00 +01:00")
        let newYork = Self.clock("2026-11-26T03:00:00Z", "America/New_York")
        #expect(Moment("today", on: newYork)?.reading == "today is 2026-11-25 00:00:00 -05:00")
    }

    @Test(
        "what names no moment is refused",
        arguments: [
            "", " ", "-", "ago", "2h", "-2", "-2x", "- ago", "-99999999999h", "-999999999w", "tomorrow", "last", "week",
            "mo", "monday tuesday", "yesterday 25:00", "yesterday 10:60", "13pm", "0am", "10:30pmx", "2026-02-29",
            "2026-13-01", "2026-11-31", "2026-11-20 10", "2026-11-20T", "2026-11-20 10:30+25:00", "20.11.2026",
            "10:30.5", "2026-11-20 10:30.5", "last now", "yesterday ago", "\u{0}", "-２h",
        ])
    func refused(_ text: String) { #expect(Moment(text, on: berlin) == nil) }

    @Test("a point is a record's number, head, or a moment")
    func points() {
        if case .sequence(2026)? = Point("2026", on: berlin) {} else { Issue.record("a number names a record") }
        if case .head? = Point("head", on: berlin) {} else { Issue.record("head is the last record") }
        if case .moment? = Point("-2h", on: berlin) {} else { Issue.record("-2h is a moment") }
    }
}
