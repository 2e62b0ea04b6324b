public import Foundation

/// SwiftUI has them on Apple's systems; model layers that keep the order of a list call them.
extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
    /// Removes the elements at places.
    @_disfavoredOverload
    public mutating func remove(atOffsets offsets: IndexSet) {
        let rest = indices.filter { !offsets.contains($0) }.map { self[$0] }
        replaceSubrange(startIndex..<endIndex, with: rest)
    }

    /// Moves the elements at places in front of the element that is at `destination` before the move.
    @_disfavoredOverload
    public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
        let moved = indices.filter(source.contains).map { self[$0] }
        let (before, after) = (indices.prefix { $0 < destination }, indices.drop { $0 < destination })
        let rest = [before, after].map { places in places.filter { !source.contains($0) }.map { self[$0] } }
        replaceSubrange(startIndex..<endIndex, with: rest[0] + moved + rest[1])
    }
}
