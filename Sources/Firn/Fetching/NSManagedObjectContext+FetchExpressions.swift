import FirnStore
import FirnFoundation
import FirnModel
import Foundation

/// Fetch requests within expressions: `FETCH(request, context, countOnly)`.
extension NSManagedObjectContext: FetchAnswering {
    package func answer(fetch request: Any?, countsOnly: Bool, asIdentities: Bool) throws -> Any {
        guard let request = request as? UntypedFetchRequest else {
            throw ExpressionError("FETCH needs a fetch request, but was given \(request.map { "\($0)" } ?? "nil")")
        }
        let asked = request.withResultType((any NSFetchRequestResult).self)
        asked.fetchOffset = 0
        if asIdentities, asked.resultType == .managedObjectResultType { asked.resultType = .managedObjectIDResultType }
        return try performAndWait { () -> Any in
            if countsOnly { return NSNumber(value: try count(asked)) }
            let found = try results(asked)
            return asked.resultType == .countResultType ? found[0] : found
        }
    }
}
