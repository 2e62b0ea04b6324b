import FirnModel
import Foundation
import Testing

/// Which of the resource bundles beside a program are its own.
@Suite("Conformance (m): the bundles of a program")
struct OwnBundleConformanceTests {
    private let built = ["Shop_Till.resources", "Shop_TillTests.resources", "Shop_Admin.resources", "Other_Till.bundle"]
        .map { URL(fileURLWithPath: "/build/" + $0) }

    private func own(_ program: String) -> Set<String> {
        Set(ModelSearch.bundles(built, ofProgram: program).map(\.lastPathComponent))
    }

    @Test("m.29 a program's own bundles are those of the target that it is named after")
    func program() {
        #expect(own("Till") == ["Shop_Till.resources", "Other_Till.bundle"])
        #expect(own("Admin") == ["Shop_Admin.resources"])
    }

    @Test("m.29 a test program's own bundles are those of its package")
    func tests() {
        #expect(
            own("ShopPackageTests.xctest")
                == ["Shop_Till.resources", "Shop_TillTests.resources", "Shop_Admin.resources"])
    }

    @Test("m.29 a program that no bundle is named after has all that lie beside it")
    func renamed() { #expect(own("checkout").count == 4) }
}
