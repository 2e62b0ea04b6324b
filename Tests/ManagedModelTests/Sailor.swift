import CoreData

/// Its properties are made by the plugin; the class is written by hand.
public class Sailor: NSManagedObject {
    var greeting: String { "Ahoy, " + (name ?? "sailor") }
}
