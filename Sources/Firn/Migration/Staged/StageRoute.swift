import FirnModel

/// The stages that lead a store from its version to the one wanted, found by checksums alone.
struct StageRoute {
    /// The version at the end of a stage, or of an inferred migration between two.
    struct Step {
        /// Nil where nothing but an inferred migration is to be done.
        var custom: NSCustomMigrationStage?
        var end: String
    }

    enum Problem: Error, Equatable {
        /// No stage begins at the store's version.
        case unknownSource
        /// No stage leads to the version wanted.
        case unknownTarget
        /// The store is of a later version than the one wanted.
        case backward
    }

    let steps: [Step]

    init(_ stages: [NSMigrationStage], from source: String, to target: String) throws(Problem) {
        var steps: [Step] = []
        var current = source
        for (index, stage) in stages.enumerated() where current != target {
            let versions = Self.versions(stage)
            if Self.leads(stages, index, from: current) {
                let end = versions.contains(target) ? target : versions[versions.count - 1]
                current = stage is NSCustomMigrationStage ? versions[0] : end
                steps.append(Step(end: current))
            }
            guard current != target, let place = versions.firstIndex(of: current), place < versions.count - 1
            else { continue }
            current = versions[place...].contains(target) ? target : versions[versions.count - 1]
            steps.append(Step(custom: stage as? NSCustomMigrationStage, end: current))
        }
        let all = stages.flatMap(Self.versions)
        if current != target {
            guard let sourcePlace = all.firstIndex(of: source) else { throw .unknownSource }
            guard let targetPlace = all.firstIndex(of: target) else { throw .unknownTarget }
            throw targetPlace < sourcePlace ? .backward : .unknownTarget
        }
        self.steps = steps
    }

    /// Whether a migration is inferred to a stage from `version`: the stage before it ends there, and neither it nor a
    /// later stage knows the version. To a first stage that names only its target, it is inferred from any.
    private static func leads(_ stages: [NSMigrationStage], _ index: Int, from version: String) -> Bool {
        let own = versions(stages[index])
        guard !own.isEmpty, !stages[index...].contains(where: { versions($0).contains(version) }) else { return false }
        if index > 0 { return versions(stages[index - 1]).last == version }
        return own.count == 1
    }

    private static func versions(_ stage: NSMigrationStage) -> [String] {
        switch stage {
        case let stage as NSLightweightMigrationStage: stage.versionChecksums
        case let stage as NSCustomMigrationStage:
            [stage.currentModel.versionChecksum, stage.nextModel.versionChecksum]
        default: []
        }
    }
}
