import ArgumentParser
import Firn
import FirnLog
import FirnModel
import Foundation

/// `firn erase`: values go from everything that the store keeps.
struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Erases an object's values, or one property's, from the whole store.",
        discussion: """
            The object is deleted, or the property set to nil (a mandatory one to its default, or an empty value), by \
            an ordinary save; then the values are taken out of every record of the log and out of the baseline, and \
            the tables are built anew. It cannot be undone. That there was such an object, and when it changed, stays; \
            the log's chain and signed checkpoints hold. Programs that have the store open go on. After a crash the \
            next program that opens the store ends the erasure.
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("The object, for example Author/7.", valueName: "object")) var object: String
    @Option(help: ArgumentHelp("Only this attribute or to-one relationship.", valueName: "name")) var property: String?
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        let parts = object.split(separator: "/")
        guard parts.count == 2, let key = Int64(parts[1].drop { $0 == "p" }) else {
            throw Failure("\(object): name an object by its entity and key, for example Author/7")
        }
        let coordinator = try options.openCoordinator()
        guard let store = coordinator.persistentStores.first,
            coordinator.managedObjectModel.entitiesByName[String(parts[0])] != nil,
            let uri = URL(string: "x-coredata://\(store.identifier ?? "")/\(parts[0])/p\(key)"),
            let id = coordinator.managedObjectID(forURIRepresentation: uri)
        else { throw Failure("\(options.path): there is no entity \(parts[0]) in the store's model") }
        let count: Int
        do { count = try coordinator.erase(id, property: property) } catch let error as NSError {
            throw Failure("\(options.path): \(error.localizedDescription)")
        }
        var output = Output()
        if json {
            var line = JSONObject()
            line["store"] = .text(options.path)
            line["object"] = .text(object)
            if let property { line["property"] = .text(property) }
            line["records"] = .integer(Int64(count))
            output.line(line.line)
        } else {
            let what = property.map { "\(object).\($0)" } ?? object
            output.line("\(options.path): \(what) is erased; \(count) records had values of it")
        }
        output.flush()
    }
}
