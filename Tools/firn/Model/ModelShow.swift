import ArgumentParser
import FirnInspection
import FirnModel
import Foundation

/// `firn model show`: entities and properties, a line each.
struct ModelShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints a model's entities, properties and checksum.")

    @OptionGroup var options: ModelOptions
    @Flag(help: "Write one JSON object an entity.") var json = false

    func run() throws {
        let model = try options.load().model
        var output = Output()
        for entity in model.entities.sorted(by: { $0.name ?? "" < $1.name ?? "" }) {
            if json {
                output.line(object(entity).line)
            } else {
                for line in lines(entity) { output.line(Console.printable(line)) }
            }
        }
        if !json { output.line("checksum  \(model.versionChecksum)") }
        output.flush()
    }

    private func lines(_ entity: NSEntityDescription) -> [String] {
        let parent = entity.superentity?.name.map { " < \($0)" } ?? ""
        let head = (entity.isAbstract ? "abstract " : "") + (entity.name ?? "") + parent
        return [head]
            + own(entity).map { property in
                "    \(property.isOptional ? " " : "!") \(property.name)  \(kind(property))"
            }
    }

    private func own(_ entity: NSEntityDescription) -> [NSPropertyDescription] {
        let inherited = Set((entity.superentity?.properties ?? []).map(\.name))
        return entity.properties.filter { !inherited.contains($0.name) }.sorted { $0.name < $1.name }
    }

    private func kind(_ property: NSPropertyDescription) -> String {
        switch property {
        case let attribute as NSAttributeDescription: return attribute.attributeType.fileName
        case let relationship as NSRelationshipDescription:
            let arrow = relationship.isToMany ? (relationship.isOrdered ? "->> ordered" : "->>") : "->"
            let inverse = relationship.inverseRelationship.map { ".\($0.name)" } ?? ""
            return "\(arrow) \(relationship.destinationEntity?.name ?? "?")\(inverse)"
        default: return "fetched property"
        }
    }

    private func object(_ entity: NSEntityDescription) -> JSONObject {
        return [
            "entity": .text(entity.name ?? ""), "parent": entity.superentity?.name.map(JSON.text),
            "abstract": .bool(entity.isAbstract),
            "properties": .array(
                own(entity).map {
                    .object(["name": .text($0.name), "kind": .text(kind($0)), "optional": .bool($0.isOptional)])
                }),
        ]
    }
}
