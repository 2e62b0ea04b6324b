import FirnModel

/// The stages that lead a store from its version to the one wanted, found by checksums alone.
struct StageRoute {
    /// A stage that is to be gone through, and the version at its end.
    struct Step {
        var stage: NSMigrationStage
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
                current = versions[0]
                steps.append(Step(stage: stage, end: current))
                continue
            }
            guard let place = versions.firstIndex(of: current) else { continue }
            let isOver = place == versions.count - 1
            if isOver { continue }
            let rest = versions[place...]
            current = rest.contains(target) ? target : versions[versions.count - 1]
            steps.append(Step(stage: stage, end: current))
        }
        let all = stages.flatMap(Self.versions)
        if current != target {
            guard let sourcePlace = all.firstIndex(of: source) else { throw .unknownSource }
            guard let targetPlace = all.firstIndex(of: target) else { throw .unknownTarget }
            throw targetPlace < sourcePlace ? .backward : .unknownTarget
        }
        self.steps = steps
    }

    /// Whether a stage names only its target, and `version` is where it begins: the stage before it, if there is one,
    /// knows the version, and no later stage does.
    private static func leads(_ stages: [NSMigrationStage], _ index: Int, from version: String) -> Bool {
        guard let stage = stages[index] as? NSLightweightMigrationStage, stage.versionChecksums.count == 1,
            stage.versionChecksums[0] != version,
            !stages[(index + 1)...].contains(where: { versions($0).contains(version) })
        else { return false }
        return index == 0 || versions(stages[index - 1]).last == version
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
