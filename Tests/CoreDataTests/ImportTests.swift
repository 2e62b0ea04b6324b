import CoreData
import Foundation
import Testing

/// That this file compiles is the test: with both imports, every name below resolves without its module.
@Suite("import CoreData beside import Foundation")
struct ImportTests {
    @Test("names that both modules have resolve to ours, in types, casts and expressions")
    func names() {
        let predicate: NSPredicate = NSPredicate(format: "name == %@", "Ada")
        #expect((predicate as Any) is NSComparisonPredicate)
        let expression: NSExpression = NSExpression(forKeyPath: "name")
        #expect(expression.keyPath == "name")
        let sort: NSSortDescriptor = NSSortDescriptor(key: "name", ascending: true)
        #expect(sort.key == "name")
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [predicate, predicate])
        #expect(both.subpredicates.count == 2)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = predicate
        request.sortDescriptors = [sort]
        #expect(request.entityName == "Author")
    }

    @Test("names that only Apple's Foundation has are here")
    func others() {
        let undo: UndoManager = UndoManager()
        #expect(!undo.canUndo)
        let name: NSValueTransformerName = .negateBooleanTransformerName
        let transformer: ValueTransformer? = ValueTransformer(forName: name)
        #expect(transformer?.transformedValue(true) as? Bool == false)
        #expect(NSSecureUnarchiveFromDataTransformer.allowsReverseTransformation())
        let option: NSComparisonPredicate.Options = .caseInsensitive
        #expect(option.rawValue == 1)
        let modifier: NSComparisonPredicate.Modifier = .any
        let comparison: NSComparisonPredicate.Operator = .like
        let kind: NSExpression.ExpressionType = .keyPath
        #expect(modifier.rawValue == 2 && comparison.rawValue == 7 && kind.rawValue == 3)
        let logic: NSCompoundPredicate.LogicalType = .or
        #expect(logic.rawValue == 2)
    }

    @Test("Foundation's own types stay its own")
    func foundations() {
        let predicate = #Predicate<Int> { $0 > 2 }
        #expect((try? predicate.evaluate(3)) == true)
        let sorted = [2, 1].sorted(using: SortDescriptor(\Int.self))
        #expect(sorted == [1, 2])
        let error = NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError)
        #expect(CocoaError(_nsError: error).code == .managedObjectValidation)
        let numbers: NSSet = NSSet(array: [1, 2])
        #expect(numbers.filtered(using: NSPredicate(format: "SELF > 1")).count == 1)
    }

    /// Never called: every class of Core Data's in a place where a type is written.
    private func types(
        _ context: NSManagedObjectContext, _ object: NSManagedObject, _ id: NSManagedObjectID,
        _ model: NSManagedObjectModel, _ entity: NSEntityDescription, _ attribute: NSAttributeDescription,
        _ relationship: NSRelationshipDescription, _ fetched: NSFetchedPropertyDescription,
        _ expression: NSExpressionDescription, _ coordinator: NSPersistentStoreCoordinator,
        _ store: NSPersistentStore, _ description: NSPersistentStoreDescription,
        _ container: NSPersistentContainer, _ policy: NSMergePolicy, _ conflict: NSMergeConflict,
        _ constraint: NSConstraintConflict, _ token: NSPersistentHistoryToken,
        _ transaction: NSPersistentHistoryTransaction, _ change: NSPersistentHistoryChange,
        _ controller: NSFetchedResultsController<NSManagedObject>, _ type: NSAttributeType,
        _ rule: NSDeleteRule, _ result: any NSFetchRequestResult
    ) {}
}
