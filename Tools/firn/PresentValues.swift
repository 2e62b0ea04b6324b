import FirnInspection
import FirnLog
import FirnProjection

/// Values of objects as the store's tables have them now: they name the objects of records that have other values only.
final class PresentValues {
    private let path: String
    private let log: SegmentLog
    /// Nil where there are none that can be read: then records are shown without them.
    private lazy var tables: (projection: Projection, model: SequenceNumber)? = {
        guard let tables = try? StoreTables(path, log),
            let (projection, state) = try? tables.open(.file(path), isReadOnly: true)
        else { return nil }
        if case .mustRebuild = state { return nil }
        return (projection, tables.modelSequence)
    }()

    init(_ path: String, _ log: SegmentLog) {
        self.path = path
        self.log = log
    }

    /// For a record in the terms of the tables' model; others find nothing.
    func lookup(_ record: LogRecord) -> RecordSentence.Lookup {
        guard case .changes(let changes) = record.body else { return { _, _ in nil } }
        return { key, slot in
            guard let tables = self.tables, tables.model == changes.model else { return nil }
            return (try? tables.projection.read { try $0.value(of: key, slot: Int(slot)) }) ?? nil
        }
    }

    /// The names that people know the present's objects by.
    func titles(_ model: LogModel) -> (ObjectKey) -> String? {
        let names = ModelNames(model)
        return { key in
            guard let tables = self.tables else { return nil }
            return names.title(of: key.entity) { slot in
                (try? tables.projection.read { try $0.value(of: key, slot: Int(slot)) }) ?? nil
            }
        }
    }
}
