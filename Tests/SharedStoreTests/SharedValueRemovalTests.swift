import Firn
import FirnLog
import FirnModel
import Foundation
import TestSupport
import Testing

@Suite("Large values on a server that one machine takes for left over")
struct SharedValueRemovalTests {
    private let value = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 5) })
    private let other = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

    private func add(_ value: Data, to machine: Machine) throws {
        try machine.save { context in
            let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
            photo.setValue(value, forKey: "data")
        }
    }

    private func delete(_ value: Data, on machine: Machine) throws {
        try machine.save { context in
            for photo in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            where photo.value(forKey: "data") as? Data == value { context.delete(photo) }
        }
    }

    private func values(_ machine: Machine) throws -> Set<Data?> {
        try machine.context.performAndWait {
            machine.context.refreshAllObjects()
            return Set(
                try machine.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
                    .map { $0.value(forKey: "data") as? Data })
        }
    }

    private func trim(_ machine: Machine) throws {
        try machine.coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
    }

    /// The machine that trims has not heard of the last record.
    @Test(
        "stay for a record that another machine made and that the one that trims has not read", arguments: Server.all)
    func namedMeanwhile(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address, model: SharedValueTests.model())
        try add(other, to: first)
        try add(value, to: first)
        let second = try Machine(address, model: SharedValueTests.model())
        try delete(value, on: first)
        try add(value, to: second)
        try trim(first)
        #expect(try values(Machine(address, model: SharedValueTests.model())) == [value, other])
        try add(Data([1]), to: first)
        #expect(try values(first) == [value, other, Data([1])])
    }

    /// The machine was killed, or lost the server, between removing its own file and the server's value.
    @Test("go with a later trim, if the server could not be told by the first one")
    func leftOver() throws {
        let server = try FolderServer(isFollowed: false)
        let machine = try Machine(server.address, model: SharedValueTests.model())
        try add(value, to: machine)
        try delete(value, on: machine)
        let folder = machine.copy.path + "-log/external/"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: folder + name)
        }
        try trim(machine)
        #expect(try server.log().externalReferences().isEmpty)
    }
}
