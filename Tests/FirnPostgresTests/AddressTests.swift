import FirnPostgres
import Foundation
import TestSupport
import Testing

@Suite("Addresses of logs on PostgreSQL")
struct AddressTests {
    @Test("name the store after the number sign, or main")
    func names() {
        #expect(PostgresAddress("postgresql://db/library#Notes")?.storeName == "Notes")
        #expect(PostgresAddress("postgres://db/library")?.storeName == "main")
    }

    @Test("are shown without password and options")
    func description() {
        let address = PostgresAddress("postgresql://ada:se@cret@db1:5433,db2/library?password=x&sslmode=require#Notes")
        #expect(address?.description == "postgresql://ada@db1:5433,db2/library#Notes")
    }

    @Test("of another kind are none", arguments: ["", "Library.sqlite", "https://db/library", "postgresql://db#"])
    func others(_ text: String) {
        #expect(PostgresAddress(text) == nil)
    }
}

@Suite("libpq")
struct LibpqTests {
    private static let header = "/usr/include/postgresql/libpq-fe.h"

    @Test(
        "has the functions that are declared here",
        .enabled(if: FileManager.default.fileExists(atPath: header), "libpq-dev is not installed"))
    func declarations() throws {
        let folder = try TemporaryDirectory()
        let source = folder.file("check.c")
        let own = PackageFolder.url.appending(path: "Sources/CPostgres/libpq.h").path
        try """
        #include <\(Self.header.dropFirst("/usr/include/".count))>
        #include "\(own)"
        #define CHECK(result, name, parameters) functions.name = name;
        void check(void) {
            struct libpq functions;
            LIBPQ_FUNCTIONS(CHECK)
            LIBPQ_STATUS(CHECK)
        }
        """.write(to: source, atomically: true, encoding: .utf8)
        #expect(throws: Never.self) {
            try PostgresServer.execute(
                "/usr/bin/env", ["clang", "-fsyntax-only", "-Werror", "-Wno-unused-but-set-variable", source.path])
        }
    }
}
