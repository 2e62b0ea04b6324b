import ArgumentParser
import FirnInspection
import FirnLog

/// `firn show`: one record with every value, old and new.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows one record with every value, old and new.",
        discussion: """
            \(Point.help) With --json the first line is the record, and one line follows for each object and link.
            """
    )

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("The record.", valueName: "point"), transform: Point.parse) var point: Point
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let log = try options.openLog()
        let record = try log.record(at: point.record(in: log, of: options.path))
        try point.explained(in: log)
        var models = ModelLibrary(log)
        let summary = try RecordSummary(record, &models)
        var output = Output()
        if json { output.line(summary.json.line) } else { show(summary, PresentValues(options.path, log), &output) }
        switch record.body {
        case .model(let model): show(model, &output)
        case .reservation(let keys): show(keys, try log.currentModel?.model, &output)
        case .erasure(let erasure): show(erasure, ModelNames(try log.model(at: erasure.model)), &output)
        case .baseline: break
        case .changes(let changes):
            let names = try models.names(at: changes.model)
            let members = RecordMembers(changes, names)
            for group in changes.groups { try show(group, names, members, &output) }
            for links in changes.links { show(links, names, &output) }
        }
        output.flush()
    }

    private func show(_ summary: RecordSummary, _ present: PresentValues, _ output: inout Output) {
        output.line(Console.styled(RecordSummary.heading, .dim))
        output.line(summary.columns(present.lookup(summary.record)))
        for (name, value) in summary.details {
            output.line("    " + Console.styled(name, .dim) + "  " + Console.printable(value))
        }
    }

    private func show(
        _ group: ChangeGroup, _ names: ModelNames, _ members: RecordMembers, _ output: inout Output
    ) throws {
        for row in group.primaryKeys.indices {
            let change = LoggedChange(group: group, row: row, names: names, members: members)
            output.line(json ? try change.json().line : change.text())
        }
    }

    private func show(_ links: LinkGroup, _ names: ModelNames, _ output: inout Output) {
        for change in LinkChange.all(of: links, names) { output.line(json ? change.json.line : change.text) }
    }

    private func show(_ model: LogModel, _ output: inout Output) {
        for entity in model.entities {
            if json {
                output.line([
                    "entity": .text(entity.name), "number": .number(entity.number.rawValue),
                    "parent": entity.parent.map { .number($0.rawValue) },
                    "properties": .array(entity.namedProperties.map { .text($0.name) }),
                ])
            } else {
                output.line(
                    Console.styled(entity.name, .bold) + "  "
                        + entity.namedProperties.map(\.name).joined(separator: ", "))
            }
        }
    }

    private func show(_ erasure: Erasure, _ names: ModelNames, _ output: inout Output) {
        let object = names.object(erasure.object)
        let properties = erasure.slots.map {
            names.property($0, of: erasure.object.entity)?.name ?? "slot \($0)"
        }
        let records = erasure.replaced.map(\.sequence.rawValue)
        if json {
            output.line([
                "object": .text(object), "properties": properties.isEmpty ? nil : .array(properties.map(JSON.text)),
                "records": .array(records.map { .number($0) }),
            ])
        } else {
            let what = properties.isEmpty ? "all values" : properties.joined(separator: ", ")
            output.line("\(object): \(what)")
            if !records.isEmpty { output.line("records " + records.map(String.init).joined(separator: ", ")) }
        }
    }

    private func show(_ keys: [EntityNumber: Int64], _ model: LogModel?, _ output: inout Output) {
        let names = model.map { ModelNames($0) }
        for (entity, last) in keys.sorted(by: { $0.key < $1.key }) {
            let name = names?.entity(entity) ?? "entity \(entity.rawValue)"
            if json {
                output.line(["entity": .text(name), "last": .integer(last)])
            } else {
                output.line("\(name): keys through \(last)")
            }
        }
    }
}
