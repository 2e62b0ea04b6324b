// Exit tests capture values since Swift 6.3.
#if compiler(>=6.3)
import Foundation
import Testing

/// Each runs in a process of its own. A release build has to say the same: run with `swift test -c release`.
@Suite("A programmer's mistake ends the program with words (conformance)")
struct UserMistakeConformanceTests {
    @Test("m.11 a mistake is named on standard error", arguments: UserMistake.all)
    func words(_ mistake: UserMistake) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [name = mistake.name as String] in
            // Off the queue of a context on purpose: the check of queues would speak first.
            setenv("FIRN_CONCURRENCY_DEBUG", "0", 1)
            let mistake = try #require(UserMistake.all.first { $0.name == name })
            do { try mistake.commit() } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(EXIT_FAILURE)
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for words in mistake.words { #expect(message.contains(words), "\(message)") }
    }

    @Test("m.11 each mistake has a name of its own and words to expect")
    func names() {
        #expect(Set(UserMistake.all.map(\.name)).count == UserMistake.all.count)
        #expect(UserMistake.all.allSatisfy { !$0.words.isEmpty })
    }
}
#endif
