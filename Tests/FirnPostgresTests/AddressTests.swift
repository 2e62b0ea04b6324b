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

    @Test("are shown with the hosts and the user that options name")
    func options() {
        func shown(_ text: String) -> String? { PostgresAddress(text)?.description }
        #expect(
            shown("postgresql:///library?host=db1,db2&port=5432,5433&user=ada&password=secret#Notes")
                == "postgresql://ada@db1:5432,db2:5433/library#Notes")
        #expect(shown("postgresql:///library?host=/run/pg#N") == "postgresql://%2Frun%2Fpg/library#N")
        #expect(shown("postgresql://db1,db2/library?port=7#N") == "postgresql://db1:7,db2:7/library#N")
        #expect(shown("postgresql://[::1]:5/library#N") == "postgresql://[::1]:5/library#N")
    }

    @Test("are shown without characters that control a terminal")
    func control() {
        let address = PostgresAddress("postgresql://db/library#a%1B%5B31m")
        #expect(address?.description == "postgresql://db/library#a\u{FFFD}[31m")
    }

    @Test("of another kind are none", arguments: ["", "Library.sqlite", "https://db/library", "postgresql://db#"])
    func others(_ text: String) {
        #expect(PostgresAddress(text) == nil)
    }
}

@Suite("How long connecting may take")
struct ConnectLimitTests {
    @Test("timeout is shared by the hosts, of which each gets two seconds at least")
    func hosts() {
        #expect(ConnectLimits(time: 10_000_000, hostCount: 1).secondsPerHost == 10)
        #expect(ConnectLimits(time: 10_000_000, hostCount: 0).secondsPerHost == 10)
        #expect(ConnectLimits(time: 10_000_000, hostCount: 3).secondsPerHost == 3)
        #expect(ConnectLimits(time: 1_000_000, hostCount: 3).secondsPerHost == 2)
        #expect(ConnectLimits(time: -5, hostCount: 1).secondsPerHost == 2)
    }

    @Test("a network that swallows packets is noticed within timeout, and within 15 seconds")
    func silence() {
        #expect(ConnectLimits(time: 10_000_000, hostCount: 2).silence == 10_000)
        #expect(ConnectLimits(time: .max, hostCount: 1).silence == 15_000)
        #expect(ConnectLimits(time: 0, hostCount: 1).silence == 2000)
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
