import Foundation

/// Foundation stops a release build without words at a place that a set does not have; Core Data's set names it.
extension MutableOrderedMembers {
    func check(_ index: Int, below count: Int) {
        guard index >= 0, index < count else { outOfBounds("index \(index)", count) }
    }

    func check(_ indexes: IndexSet, below count: Int) {
        if let last = indexes.last, last >= count { outOfBounds("index \(last)", count) }
    }

    func check(_ range: NSRange, below count: Int) {
        let (end, overflow) = range.location.addingReportingOverflow(range.length)
        guard range.location >= 0, range.length >= 0, !overflow, end <= count else {
            outOfBounds("range {\(range.location), \(range.length)}", count)
        }
    }

    func check(_ objects: [Any], _ indexes: IndexSet) {
        guard objects.count == indexes.count else {
            fatalError("\(name) was given \(objects.count) objects for \(indexes.count) places: give one for each")
        }
    }

    private func outOfBounds(_ place: String, _ count: Int) -> Never {
        fatalError(
            "\(place) beyond bounds of \(name): "
                + (count > 0 ? "the last one possible here is \(count - 1)" : "there is none"))
    }
}
