import Foundation
import SwiftData
import Testing

@Suite("A context that several threads use at once")
struct ContextUseTests {
    /// A context that nothing keeps from crossing threads.
    private final class Shared: @unchecked Sendable {
        let context: ModelContext
        init(_ context: ModelContext) { self.context = context }
    }

    @Test("is noticed in debug builds, with the function that was called")
    func isNoticed() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let memory = ModelConfiguration(isStoredInMemoryOnly: true)
            let shared = Shared(ModelContext(try ModelContainer(for: Guide.self, configurations: memory)))
            // One thread waits in a save until the other has asked.
            let saving = DispatchSemaphore(value: 0), asked = DispatchSemaphore(value: 0)
            let observer = NotificationCenter.default.addObserver(
                forName: ModelContext.willSave, object: nil, queue: nil
            ) { _ in
                saving.signal()
                asked.wait()
            }
            let thread = Thread { try? shared.context.save() }
            thread.start()
            saving.wait()
            _ = try? shared.context.fetchCount(FetchDescriptor<Guide>())
            asked.signal()
            NotificationCenter.default.removeObserver(observer)
            exit(0)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("fetchCount was called while another thread used the same ModelContext"))
    }

    @Test("is not noticed where one thread uses it after the other")
    func isNotNoticed() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let memory = ModelConfiguration(isStoredInMemoryOnly: true)
            let shared = Shared(ModelContext(try ModelContainer(for: Guide.self, configurations: memory)))
            for number in 0..<4 {
                let done = DispatchSemaphore(value: 0)
                Thread {
                    shared.context.insert(Guide(name: "\(number)"))
                    try? shared.context.save()
                    done.signal()
                }.start()
                done.wait()
            }
            exit(0)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!text.contains("ModelContext"))
    }
}
