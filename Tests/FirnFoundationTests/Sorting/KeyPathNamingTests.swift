import FirnFoundation
import class FirnFoundation.NSSortDescriptor
import Foundation
import Testing

private struct Address {
    var city = ""
    var street: Address2?
}

private struct Address2 { var name = "" }

private struct Resident {
    var address = Address()
    var initial: Character { address.city.first ?? "?" }
}

private final class Named: KeyPathNaming {
    var title: String { "" }

    static func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String? {
        keyPath == \Named.title ? "title" : nil
    }
}

@Suite struct KeyPathNamingTests {
    @Test("stored properties have names, also through optionals")
    func stored() {
        #expect(keyValueCodingKeyPath(for: \Resident.address.city) == "address.city")
        #expect(keyValueCodingKeyPath(for: \Resident.address.street?.name) == "address.street.name")
    }

    @Test("a computed property has none unless its class names it")
    func computed() {
        #expect(keyValueCodingKeyPath(for: \Resident.initial) == nil)
        #expect(keyValueCodingKeyPath(for: \Named.title) == "title")
    }

    @Test("a descriptor of a Swift key path has its key")
    func key() {
        #expect(
            NSSortDescriptor(keyPath: \Resident.address.city, ascending: true).key == "address.city"
        )
    }

    @Test("a path without a name still sorts")
    func unnamed() {
        let order = DescriptorOrder([NSSortDescriptor(keyPath: \[Int].count, ascending: true)])
        #expect(order.sorted([[1, 2], [], [1]]) == [[], [1], [1, 2]])
    }
}
