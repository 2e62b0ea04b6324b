import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool erases values")
struct EraseToolTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    @Test("a property goes from every record, and the store verifies, also against what was signed")
    func property() throws {
        let result = try firn.run("erase", "--json", "--property", "name", store.path, "Person/1")
        #expect(
            result.output
                == #"{"store":"\#(store.path)","object":"Person/1","property":"name","records":3}"# + "\n",
            "\(result.complaints)")
        #expect(try !firn.run("export", store.path).output.contains("Ada"))
        #expect(try firn.run("history", "--json", store.path, "Person/1").lines.count == 3)
        #expect(try firn.run("verify", store.path).output.contains("tables: equal to a rebuild"))
        let log = try firn.run("log", store.path).output
        #expect(log.contains("values are erased from 3 records") && log.contains("an erasure is done"))
        #expect(try firn.run("show", "--json", store.path, "6").lines.last
            == #"{"object":"Person/1","properties":["name"],"records":[2,4,5]}"#)
    }

    @Test("an object that was deleted long ago is erased from history")
    func deleted() throws {
        #expect(try firn.run("erase", store.path, "Person/2").output.contains("2 records had values of it"))
        #expect(try !firn.run("export", store.path).output.contains("Grace"))
        #expect(try firn.run("verify", store.path).status == 0)
    }

    @Test("what is no object or property is refused with a reason")
    func refused() throws {
        #expect(try firn.run("erase", store.path, "Person").complaints.contains("for example"))
        #expect(try firn.run("erase", store.path, "Dog/1").complaints.contains("no entity “Dog”"))
        let result = try firn.run("erase", "--property", "age", store.path, "Person/1")
        #expect(result.status == 2 && result.complaints.contains("no attribute or to-one relationship age"))
    }
}
