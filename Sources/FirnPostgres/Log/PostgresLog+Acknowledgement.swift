public import FirnLog

extension PostgresLog {
    /// Reads the server's settings; they may change later, without a restart.
    public func acknowledgement() throws -> Acknowledgement {
        let rows = try session.run { connection in
            try connection.query(
                """
                select current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
                    current_setting('fsync'), current_setting('full_page_writes')
                """)
        }
        return Self.acknowledgement(
            commit: rows.text(0, 0), standbys: rows.text(0, 1), isSynced: rows.text(0, 2) == "on",
            isWhole: rows.text(0, 3) == "on")
    }

    /// The promise of PostgreSQL's settings (https://www.postgresql.org/docs/15/runtime-config-wal.html,
    /// https://www.postgresql.org/docs/15/runtime-config-replication.html).
    static func acknowledgement(
        commit: String, standbys: String, isSynced: Bool, isWhole: Bool
    ) -> Acknowledgement {
        guard isSynced else {
            return Acknowledgement(diskCount: 0, description: "in the server's memory: fsync is off")
        }
        guard commit != "off" else {
            return Acknowledgement(diskCount: 0, description: "in the server's memory: synchronous_commit is off")
        }
        let torn = isWhole ? "" : "; full_page_writes is off, so a crash may damage the server's tables"
        let count = standbyCount(standbys)
        switch commit {
        case "on" where count > 0, "remote_apply" where count > 0:
            return Acknowledgement(
                diskCount: 1 + count, description: "on the disks of the server and of \(count) of its standbys" + torn)
        case "remote_write" where count > 0:
            return Acknowledgement(
                diskCount: 1,
                description: "on the server's disk and in the memory of \(count) of its standbys" + torn)
        default:
            return Acknowledgement(
                diskCount: 1, description: "on the server's disk alone: no standby has to confirm it" + torn)
        }
    }

    /// How many standbys must confirm: `ANY 2 (a, b, c)`, `FIRST 2 (a, b)`, `2 (a, b)`, or a list, of which one must.
    private static func standbyCount(_ names: String) -> Int {
        let words = names.split { $0 == " " || $0 == "(" || $0 == "," }
        guard let first = words.first else { return 0 }
        if !names.contains("(") { return 1 }
        return Int(first) ?? words.dropFirst().first.flatMap { Int($0) } ?? 1
    }

    /// To be called when the log was opened.
    func refuseWeakServers() throws {
        guard options.diskCountMin > 0 else { return }
        let acknowledgement = try acknowledgement()
        guard acknowledgement.diskCount >= options.diskCountMin else {
            throw LogError(
                .refused,
                "An acknowledged save would be \(acknowledgement); set up standbys, or ask for fewer disks.",
                path: place, expected: "\(options.diskCountMin) disks", found: "\(acknowledgement.diskCount)")
        }
    }
}
