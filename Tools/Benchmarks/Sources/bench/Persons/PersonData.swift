import Foundation

/// `person`: two names, two dates, a decimal, a UUID, a nickname that two of three lack, and a manager, who is the
/// person with a tenth of its number. The same for every side, made without a generator's state.
struct PersonData {
    let number: Int

    private static let names = ["Ada", "Björn", "Chidi", "Dolores", "Émile", "Fatima", "Grace", "Hiro", "Ines", "Jörg"]
    private static let surnames = [
        "Abara", "Berg", "Castillo", "Dahl", "Eriksen", "Fuchs", "García", "Hopper", "Ito", "Jansen", "Kowalski",
        "Lindgren", "Müller", "Nowak", "Okafor", "Pettersson", "Quist", "Rossi", "Silva", "Tanaka", "Ueda", "Virtanen",
        "Weber", "Yang",
    ]

    var name: String { Self.names[number % Self.names.count] }
    var surname: String { "\(Self.surnames[number / 7 % Self.surnames.count]) \(number % 997)" }
    /// Seconds since 2001.
    var birthday: Double { Double(number % 20_000) * 86_400 - 1e9 }
    var hired: Double { Double(number % 7_000) * 86_400 + 0.5 }
    var cents: Int { 2_000_00 + number * 37 % 8_000_00 }
    var salary: Decimal { Decimal(cents) / 100 }
    /// As GRDB's users and others keep decimals: the digits.
    var salaryText: String { "\(salary)" }
    var token: UUID {
        let high = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) {
            $0.storeBytes(of: high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: (high &* 31).bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: bytes)
    }
    var nickname: String? { number % 3 == 0 ? "nick\(number % 100)" : nil }
    /// Number 0 has none.
    var manager: Int? { number == 0 ? nil : number / 10 }

    static let columns = ["name", "surname", "birthday", "hired", "salary", "token", "nickname", "manager"]
    static let createTable = """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, surname TEXT NOT NULL, birthday REAL NOT NULL,
            hired REAL NOT NULL, salary TEXT NOT NULL, token BLOB NOT NULL, nickname TEXT,
            manager INTEGER REFERENCES person (id));
        CREATE INDEX person_surname ON person (surname);
        CREATE INDEX person_manager ON person (manager);
        """
    static let insert = "INSERT INTO person (id, \(columns.joined(separator: ", "))) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

    /// What a row adds to a digest: of every column something.
    static func digest(
        name: String, surname: String, birthday: Double, hired: Double, salary: Decimal, token: UUID, nickname: String?
    ) -> Int64 {
        let cents = NSDecimalNumber(decimal: salary * 100).int64Value
        return Int64(name.utf8.count) &+ Int64(surname.utf8.count) &* 31 &+ Int64(birthday) &+ Int64(hired) &+ cents
            &+ Int64(token.uuid.0) &* 7 &+ Int64(nickname?.utf8.count ?? -1)
    }
}
