import FirnLog
import Foundation

/// A random program of machines that share one log: saves, lost answers and requests, machines that are away, closed,
/// opened again and new, history that is cut off, values that are erased.
///
/// After each step every machine that asks has what was saved, in one order, once, without what was erased, after a
/// sound log.
package struct SharedSimulation {
    package struct Violation: Error, CustomStringConvertible {
        package var description: String
    }

    private final class Machine {
        let files = MemoryFileSystem()
        var log: SharedCopy?
    }

    private static let directory = "/machine"
    private static let options = LogOptions(segmentSize: 4096)

    private let address: String
    private let fault: ((FolderServer.Fault?) -> Void)?
    private var random: SeededGenerator
    private var machines: [Machine] = []
    /// The texts of all records after the model, by record; nil where they were erased.
    private var texts: [String?] = []
    /// How many of `texts` were erased or cut off by the log itself: the records that say so.
    private var trace: [String] = []

    /// - Parameter fault: lets the server fail, if it can be told to.
    package init(
        _ address: String, seed: UInt64, fault: ((FolderServer.Fault?) -> Void)? = nil
    ) throws {
        self.address = address
        self.fault = fault
        random = SeededGenerator(seed: seed)
        machines = (0..<3).map { _ in Machine() }
        for machine in machines { _ = try open(machine) }
        try append([(.model(LogSamples.model), TransactionHeader(date: LogSamples.date, id: .random()))], machines[0])
        texts.append(nil)
    }

    package mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            do {
                try step()
                try check()
            } catch {
                throw Violation(description: "\(error) after \(trace.joined(separator: ", "))")
            }
        }
    }

    private func open(_ machine: Machine) throws -> SharedCopy {
        if let log = machine.log { return log }
        let log = try SharedCopy.open(
            of: Upstream(address), directory: Self.directory, options: Self.options, fileSystem: machine.files,
            date: LogSamples.date)
        machine.log = log
        try follow(log, machine.files)
        return log
    }

    /// What a store does after records came.
    private func follow(_ log: SharedCopy, _ files: MemoryFileSystem) throws {
        let maintenance = LogMaintenance(log)
        guard try maintenance.pendingErasure != nil else { return }
        // A packing that was killed may have left a file with the values.
        let leftover = Self.directory + "/00000000000000000001.segment.ab12.tmp"
        _ = try? files.open(leftover, .create)
        try maintenance.finishErasure(knownThrough: try log.followErasures())
        if try files.kind(of: leftover) != nil { throw Violation(description: "\(leftover) outlives an erasure") }
    }

    private mutating func step() throws {
        let index = Int(random.next() % UInt64(machines.count))
        let machine = machines[index]
        switch random.next() % 14 {
        case 0...5: try save(index, machine)
        case 12, 13: try saveTogether(index, machine)
        case 6: try lose(index, machine)
        case 7:
            trace.append("machine \(index) opens again")
            machine.log?.close()
            machine.log = nil
            _ = try open(machine)
        case 8:
            trace.append("machine \(index) is a new one")
            machine.log?.close()
            machines[index] = Machine()
            _ = try open(machines[index])
        case 9: try trim(index, machine)
        case 10: try erase(index, machine)
        default:
            trace.append("machine \(index) looks")
            try open(machine).pullUpstream()
        }
    }

    private mutating func makeRecords(
        _ count: Int
    ) -> [(text: String, record: (body: LogRecord.Body, header: TransactionHeader))] {
        (0..<count).map { offset in
            let text = "text \(random.next() % 1000) of \(texts.count + offset)"
            return (text, LogSamples.record(text, key: Int64(texts.count + offset)))
        }
    }

    private mutating func save(_ index: Int, _ machine: Machine) throws {
        let records = makeRecords(1 + Int(random.next() % 3))
        trace.append("machine \(index) saves \(records.count)")
        for record in records {
            try append([record.record], machine)
            texts.append(record.text)
        }
    }

    /// Records that go together, while another machine may save first, or the answer get lost: then none is there, or
    /// all are.
    private mutating func saveTogether(_ index: Int, _ machine: Machine) throws {
        let log = try open(machine)
        try log.pullUpstream()
        let count = 1 + Int(random.next() % 4)
        trace.append("machine \(index) saves \(count) together")
        let faster = machines[Int(random.next() % UInt64(machines.count))]
        var fate: FolderServer.Fault?
        switch random.next() % 4 {
        case 0 where faster !== machine:
            trace.append("another is faster")
            let record = makeRecords(1)[0]
            try append([record.record], faster)
            texts.append(record.text)
        case 1 where fault != nil: fate = .losesAnswer
        case 2 where fault != nil: fate = .losesRequest
        default: break
        }
        fault?(fate)
        defer { fault?(nil) }
        if let fate { trace.append("\(fate)") }
        let records = makeRecords(count)
        let expected: LogError.Code? = fate == nil ? nil : .outcomeUnknown
        let outcomes = try log.exclusively {
            try log.append(records.map { PreparedRecord($0.record.body, $0.record.header) })
        }
        for (record, outcome) in zip(records, outcomes) {
            let code: LogError.Code? = if case .failure(let error) = outcome { error.code } else { nil }
            guard code == expected else {
                throw Violation(description: "record \(record.text): \(code?.name ?? "appended")")
            }
        }
        if expected == nil || fate == .losesAnswer { texts += records.map(\.text) }
    }

    private func append(
        _ records: [(body: LogRecord.Body, header: TransactionHeader)], _ machine: Machine
    ) throws {
        let log = try open(machine)
        for record in records {
            try log.exclusively { _ = try log.append(record.body, header: record.header) }
        }
    }

    /// A save that gets no answer: it was made, or not, and the next question tells.
    private mutating func lose(_ index: Int, _ machine: Machine) throws {
        guard let fault else { return }
        let isMade = random.next() % 2 == 0
        let record = makeRecords(1)[0]
        trace.append("machine \(index) gets no answer to what is \(isMade ? "made" : "lost")")
        // It knows of everything, so that the fault meets its append and nothing else.
        try open(machine).pullUpstream()
        fault(isMade ? .losesAnswer : .losesRequest)
        defer { fault(nil) }
        var failure: LogError?
        do {
            try append([record.record], machine)
        } catch let error as LogError where error.code == .outcomeUnknown {
            failure = error
        }
        let log = try open(machine)
        guard let sequence = failure?.sequence, let link = failure?.link else {
            throw Violation(description: "an append without an answer returned, or does not say which one it was")
        }
        let found = try log.exclusively { try log.holds(link, at: sequence) }
        guard (found == true) == isMade else { throw Violation(description: "holds says \(String(describing: found))") }
        if isMade { texts.append(record.text) }
    }

    private mutating func trim(_ index: Int, _ machine: Machine) throws {
        let log = try open(machine)
        try log.pullUpstream()
        let last = 1 + random.next() % UInt64(texts.count)
        trace.append("machine \(index) trims through \(last)")
        let state: (SequenceNumber) -> ((BaselinePart) throws -> Void) throws -> Void = { last in
            { write in try write(.keys([EntityNumber(1): Int64(last.rawValue)])) }
        }
        let sequence = SequenceNumber(last)
        let known = log.head
        try log.upstream.perform(log.storeID) {
            try $0.trim(through: sequence, knowing: known, state: state(sequence))
        }
        try LogMaintenance(log).trim(through: sequence, state: state(sequence))
    }

    private mutating func erase(_ index: Int, _ machine: Machine) throws {
        guard texts.count > 1 else { return }
        let key = 1 + Int(random.next() % UInt64(texts.count - 1))
        trace.append("machine \(index) erases \(key)")
        let log = try open(machine)
        try log.pullUpstream()
        try follow(log, machine.files)
        let erasure = Erasure(model: 1, object: ObjectKey(entity: EntityNumber(1), primaryKey: Int64(key)))
        let header = TransactionHeader(date: LogSamples.date, id: .random())
        _ = try log.upstream.perform(log.storeID) { try $0.erase(erasure, header: header, lookingIn: log) }
        texts[key] = nil
        let end = try log.pullUpstream()
        while texts.count < Int(end.sequence.rawValue) { texts.append(nil) }
        try follow(log, machine.files)
    }

    /// Every machine, after it has asked.
    private func check() throws {
        for (index, machine) in machines.enumerated() {
            guard let log = machine.log else { continue }
            try log.pullUpstream()
            try follow(log, machine.files)
            guard log.head.rawValue == UInt64(texts.count) else {
                throw Violation(description: "machine \(index) ends at \(log.head), saved are \(texts.count)")
            }
            let report = try LogMaintenance(log).verify()
            guard report.isSound else { throw Violation(description: "machine \(index): \(report.problems)") }
            let reader = try log.records(after: log.baseline)
            while let record = try reader.next() {
                let expected = texts[Int(record.sequence.rawValue) - 1]
                guard Self.text(record) == expected else {
                    throw Violation(
                        description: "machine \(index) has \(Self.text(record) ?? "nothing") as \(record.sequence), "
                            + "not \(expected ?? "nothing")")
                }
            }
        }
    }

    private static func text(_ record: LogRecord) -> String? {
        guard case .changes(let changes) = record.body, let column = changes.groups[0].new.first,
            case .text(let text) = column[0]
        else { return nil }
        return text
    }
}
