public import Foundation

// Foundation's collections sort by Foundation's descriptors, which have no keys on Linux. These methods accept ours.

extension NSArray {
    /// The members in the order of the descriptors.
    ///
    /// https://developer.apple.com/documentation/foundation/nsarray/sortedarray(using:)-2pvch
    public func sortedArray(using sortDescriptors: [NSSortDescriptor]) -> [Any] {
        DescriptorOrder(sortDescriptors).sorted(map { $0 })
    }
}

extension NSMutableArray {
    /// Puts the members in the order of the descriptors.
    public func sort(using sortDescriptors: [NSSortDescriptor]) {
        setArray(sortedArray(using: sortDescriptors))
    }
}

extension NSSet {
    /// The members in the order of the descriptors.
    public func sortedArray(using sortDescriptors: [NSSortDescriptor]) -> [Any] {
        DescriptorOrder(sortDescriptors).sorted(map { $0 })
    }
}

extension NSOrderedSet {
    /// The members in the order of the descriptors.
    public func sortedArray(using sortDescriptors: [NSSortDescriptor]) -> [Any] {
        DescriptorOrder(sortDescriptors).sorted(map { $0 })
    }
}

extension NSMutableOrderedSet {
    /// Puts the members in the order of the descriptors.
    public func sort(using sortDescriptors: [NSSortDescriptor]) {
        let members = sortedArray(using: sortDescriptors)
        removeAllObjects()
        addObjects(from: members)
    }
}
