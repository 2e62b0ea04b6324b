public import FirnModel
import Foundation

extension NSMappingModel {
    /// The mapping that names, renaming identifiers and defaults tell.
    ///
    /// Throws 134190 with everything that cannot be inferred: entity, property and reason in `userInfo`, several such
    /// errors in `NSDetailedErrors`.
    public class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let inference = MappingInference(ModelMatching(from: sourceModel, to: destinationModel))
        let problems = inference.problems.filter { $0.kind != .missingDefault }
        guard problems.isEmpty else {
            let errors = problems.map(ModelChange.error)
            var userInfo = errors[0].userInfo
            if errors.count > 1 { userInfo[NSDetailedErrorsKey] = errors }
            throw CoreDataError.make(
                .inferredMappingModel,
                "cannot infer a mapping model: " + problems.map(\.description).joined(separator: "; "), userInfo)
        }
        return NSMappingModel(inference.matching)
    }
}
