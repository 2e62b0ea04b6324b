import ArgumentParser
import FirnInspection
import FirnLog
import Foundation

/// `firn subscriptions`: who reads the store's history by name, and how far they are.
struct Subscriptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the named readers of the history, or removes one.",
        discussion: """
            History is not trimmed past what a subscription has not seen. Remove one whose \
            reader will not return with --forget.
            """)

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Remove this subscription.", valueName: "name")) var forget: String?
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let log = try options.openLog()
        if let forget {
            guard try log.removeSubscription(named: forget) else {
                let known = try log.subscriptions().map(\.name)
                throw Failure(
                    "\(options.path): there is no subscription named \(forget)"
                        + Suggestion.text(for: forget, among: known))
            }
        }
        let head = try log.refresh()
        var output = Output()
        for subscription in try log.subscriptions() {
            if json {
                output.line(Self.object(subscription, head).line)
            } else {
                for line in Self.lines(subscription, head) { output.line(line) }
            }
        }
        output.finish(orSay: "\(options.path): there are no subscriptions")
    }

    private static func behind(_ subscription: Subscription, _ head: SequenceNumber) -> UInt64 {
        head.rawValue - min(head.rawValue, subscription.checkpoint.sequence.rawValue)
    }

    private static func lines(_ subscription: Subscription, _ head: SequenceNumber) -> [String] {
        let summary =
            Console.styled(Console.padded(subscription.name, 24), .bold)
            + "  at record \(subscription.checkpoint.sequence), \(behind(subscription, head)) behind, since "
            + LogDate(subscription.date).local
        return [summary]
            + subscription.deadLetters.map {
                Console.styled("    set aside", .red) + "  record \($0.sequence): " + Console.printable($0.reason)
            }
    }

    private static func object(_ subscription: Subscription, _ head: SequenceNumber) -> JSONObject {
        return [
            "name": .text(subscription.name), "checkpoint": .number(subscription.checkpoint.sequence.rawValue),
            "behind": .number(behind(subscription, head)), "date": .text(LogDate(subscription.date).iso8601),
            "deadLetters": .array(
                subscription.deadLetters.map {
                    .object([
                        "sequence": .number($0.sequence.rawValue), "date": .text(LogDate($0.date).iso8601),
                        "reason": .text($0.reason),
                    ])
                }),
        ]
    }
}
