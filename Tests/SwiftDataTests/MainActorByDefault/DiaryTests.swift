import Foundation
import SwiftData
import Testing

/// The module is on the main actor by default:
/// https://docs.swift.org/compiler/documentation/diagnostics/isolated-conformances/
@Suite("Models in a module whose code is on the main actor by default")
struct DiaryTests {
    @Test("s.24 models, a model actor and the main context work together, and the compiler warns of nothing")
    func diary() async throws {
        let list = try DiaryList()
        #expect(try await list.write() == 3)
        try list.reload()
        #expect(list.diaries.map(\.title) == ["Archive"])
        #expect(Set(list.diaries[0].entries.map(\.summary)) == ["one", "two", "three"])
    }
}
