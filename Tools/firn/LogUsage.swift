import FirnLog
import Foundation

/// What the records of a log take, by segment, and what they did, by entity.
struct LogUsage {
    struct Segment {
        var name: String
        var recordCount = 0
        var frameSize: Int64 = 0
        var storedSize: Int64 = 0
        var rawSize: Int64 = 0
    }

    struct Entity {
        var name: String
        /// How many there are now.
        var objects = 0
        var inserted = 0
        var updated = 0
        var deleted = 0
    }

    let statistics: LogStatistics
    /// Bytes of all segments, but for the room at the end of the last.
    let diskSize: Int64
    private(set) var segments: [Segment] = []
    private(set) var entities: [Entity] = []
    /// Bytes of the baseline of a trimmed log.
    private(set) var baselineSize: Int64?
    private var changeSize: Int64 = 0

    /// Complexity: reads the log twice: headers, then contents.
    init(_ log: SegmentLog) throws {
        statistics = try log.statistics()
        diskSize = try log.extent().usedSize
        try countSegments(log)
        if log.baseline > .zero {
            let path = log.directory + "/" + Format.baselineName(log.baseline)
            let size = (try FileManager.default.attributesOfItem(atPath: path))[.size] as? Int
            baselineSize = size.map(Int64.init)
        }
        try countChanges(log)
    }

    private mutating func countSegments(_ log: SegmentLog) throws {
        let reader = try log.records(after: log.baseline)
        while let frame = try reader.nextFrameInfo() {
            let name = URL(fileURLWithPath: frame.path).lastPathComponent
            if segments.last?.name != name { segments.append(Segment(name: name)) }
            segments[segments.count - 1].recordCount += 1
            segments[segments.count - 1].frameSize += Int64(frame.frameSize)
            segments[segments.count - 1].storedSize += Int64(frame.storedSize)
            segments[segments.count - 1].rawSize += Int64(frame.rawSize)
            if frame.kind == .changes { changeSize += Int64(frame.frameSize) }
        }
    }

    private mutating func countChanges(_ log: SegmentLog) throws {
        guard let model = try log.currentModel?.model else { return }
        var byNumber: [EntityNumber: Entity] = [:]
        for entity in model.entities { byNumber[entity.number] = Entity(name: entity.name) }
        let replay = try log.replay()
        while let record = try replay.next() {
            switch record.body {
            case .changes(let changes):
                for group in changes.groups {
                    Self.count(group, in: &byNumber)
                }
            case .baseline(.rows(let changes, _)):
                for group in changes.groups {
                    byNumber[group.entity]?.objects += group.primaryKeys.count
                }
            case .model(let model):
                guard let rows = model.migration?.rows else { continue }
                for number in byNumber.keys { byNumber[number]?.objects = 0 }
                for group in rows.groups { byNumber[group.entity]?.objects += group.primaryKeys.count }
            default: continue
            }
        }
        entities = byNumber.values.sorted { $0.name < $1.name }
    }

    private static func count(_ group: ChangeGroup, in entities: inout [EntityNumber: Entity]) {
        let count = group.primaryKeys.count
        switch group.operation {
        case .insert:
            entities[group.entity]?.inserted += count
            entities[group.entity]?.objects += count
        case .update: entities[group.entity]?.updated += count
        case .delete:
            entities[group.entity]?.deleted += count
            entities[group.entity]?.objects -= count
        case .refresh: break
        }
    }

    var objectCount: Int { entities.reduce(0) { $0 + $1.objects } }

    /// Insertions, updates and deletions.
    var changeCount: Int { entities.reduce(0) { $0 + $1.inserted + $1.updated + $1.deleted } }

    /// Bytes on the disk of the frames of change sets, all in, by what they did. Of packed segments this is an average.
    var bytesPerChange: Double? {
        guard changeCount > 0, statistics.frameSize > 0 else { return nil }
        return Double(changeSize) * Double(diskSize) / Double(statistics.frameSize) / Double(changeCount)
    }
}
