import Firn
import FirnModel
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Large values of a store whose log is shared")
struct SharedValueTests {
    private static let value = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 / 5) })

    /// Photo: data, which may be kept in files.
    static func model() -> NSManagedObjectModel {
        let data = NSAttributeDescription()
        data.name = "data"
        data.attributeType = .binaryDataAttributeType
        data.isOptional = true
        data.allowsExternalBinaryDataStorage = true
        let entity = NSEntityDescription()
        entity.name = "Photo"
        entity.properties = [data]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private func values(_ machine: Machine) throws -> [Data?] {
        try machine.context.performAndWait {
            machine.context.refreshAllObjects()
            let photos = try machine.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            return photos.map { $0.value(forKey: "data") as? Data }
        }
    }

    private func add(_ value: Data, to machine: Machine) throws {
        try machine.save { context in
            let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
            photo.setValue(value, forKey: "data")
        }
    }

    private func files(_ machine: Machine) throws -> [String] {
        // The follower may be about to keep what a save has kept already.
        try FileManager.default.contentsOfDirectory(atPath: machine.copy.path + "-log/external").filter {
            !$0.hasSuffix(".tmp")
        }
    }

    @Test("are read by a machine that comes later, from a file of its own", arguments: Server.all)
    func later(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address, model: Self.model())
        try add(Self.value, to: first)
        let second = try Machine(address, model: Self.model())
        #expect(try values(second) == [Self.value])
        #expect(try files(second).count == 1)
    }

    @Test("are on the server before a record that names them is")
    func before() throws {
        let server = try FolderServer()
        let machine = try Machine(server.address, model: Self.model())
        let counts = Mutex<[Int?]>([])
        server.onAppend.withLock {
            $0 = { isMade in
                if isMade { return }
                let count = try? server.log().externalReferences().count
                counts.withLock { $0.append(count) }
            }
        }
        try add(Self.value, to: machine)
        server.onAppend.withLock { $0 = nil }
        #expect(counts.withLock { $0 } == [1])
    }

    @Test("come with what another machine saved meanwhile", arguments: Server.all)
    func meanwhile(_ server: Server) throws {
        let address = try server.address()
        let (first, second) = (
            try Machine(address, model: Self.model()), try Machine(address, model: Self.model())
        )
        try add(Self.value, to: first)
        // Meets what the first one saved.
        try add(Data([1]), to: second)
        #expect(try Set(values(second)) == [Self.value, Data([1])])
        #expect(try files(second).count == 1)
    }

    @Test("can be read while the server is away")
    func away() throws {
        let server = try FolderServer()
        let first = try Machine(server.address, model: Self.model())
        try add(Self.value, to: first)
        let second = try Machine(server.address, model: Self.model())
        server.set(.away)
        #expect(try values(second) == [Self.value])
    }
}
