import ArgumentParser
import Firn
import FirnInspection
import FirnLog
import FirnModel
import Foundation

/// `firn erase`: values go from everything that the store keeps.
struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Erases an object's values, or one property's, from the whole store.",
        discussion: """
            An ordinary save deletes the object, or sets the property to nil (a mandatory one to its default, or to an \
            empty value). Then the values are removed from every record of the log and from the baseline, and the \
            tables are rebuilt. It cannot be undone. That the object existed, and when it changed, stays. The log's \
            chain and signed checkpoints stay valid. Programs may have the store open meanwhile. After a crash the \
            next program that opens the store completes the erasure.
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("The object, for example Author/7.", valueName: "object")) var object: String
    @Option(help: ArgumentHelp("Only this attribute or to-one relationship.", valueName: "name")) var property: String?
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        let name = try ObjectName(object)
        try check(name)
        let coordinator = try options.openCoordinator()
        guard let store = coordinator.persistentStores.first,
            let uri = URL(string: "x-coredata://\(store.identifier ?? "")/\(name.entity)/p\(name.key)"),
            let id = coordinator.managedObjectID(forURIRepresentation: uri)
        else { throw Failure("\(options.path): the store's model cannot name \(name.text)") }
        let count: Int
        do { count = try coordinator.erase(id, property: property) } catch let error as NSError {
            throw Failure("\(options.path): \(error.localizedDescription)")
        }
        let what = property.map { "\(object).\($0)" } ?? object
        let line: JSONObject = [
            "store": .text(options.path), "object": .text(object), "property": property.map(JSON.text),
            "records": .number(count),
        ]
        Output.write(
            line, asJSON: json,
            ["\(options.path): \(what) is erased; \(Counted.text(count, "record")) had values of it"])
    }

    /// Throws before anything is written if there never was such an object, or the entity has no such property.
    private func check(_ name: ObjectName) throws {
        let log = try options.openLog()
        defer { log.close() }
        guard let model = try log.currentModel?.model else {
            throw Failure("\(options.path): the log has no model yet, so nothing was saved in it")
        }
        let entity = try model.entity(named: name.entity)
        if let property, !entity.properties.contains(where: { $0.name == property }) {
            throw Failure(
                "\(options.path): \(entity.name) has no attribute or to-one relationship \(property)"
                    + Suggestion.text(for: property, among: entity.namedProperties.map(\.name)))
        }
        guard try log.names(name, entity.number) else {
            throw Failure("\(options.path): no record names \(name.text), so there is nothing to erase")
        }
    }
}

extension SegmentLog {
    /// Whether there is, or was, the object: a record has it, or the baseline, under the entity's name or number.
    fileprivate func names(_ object: ObjectName, _ number: EntityNumber) throws -> Bool {
        var models = ModelLibrary(self)
        func has(_ changes: ChangeSet) throws -> Bool {
            let names = try models.names(at: changes.model)
            return changes.groups.contains { group in
                (group.entity == number || names.entity(group.entity) == object.entity)
                    && group.primaryKeys.contains(object.key)
            }
        }
        let replay = try replay()
        while let record = try replay.next() {
            switch record.body {
            case .changes(let changes): if try has(changes) { return true }
            case .baseline(.rows(let changes, _)): if try has(changes) { return true }
            case .model(let model):
                if let rows = model.migration?.rows,
                    rows.groups.contains(where: {
                        $0.entity == number && $0.primaryKeys.contains(object.key)
                    })
                {
                    return true
                }
            default: continue
            }
        }
        return false
    }
}
