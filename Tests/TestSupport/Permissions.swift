package import Foundation

/// What a user may not do who owns nothing.
package enum Permissions {
    /// Runs `body` on this thread without the right to write where the mode of a folder forbids it. Other threads of a
    /// process of the superuser keep that right.
    package static func withoutPrivileges<R>(_ body: () throws -> R) rethrows -> R {
        guard geteuid() == 0 else { return try body() }
        _ = setFileSystemUser(nobody)
        defer { _ = setFileSystemUser(0) }
        return try body()
    }

    /// Runs a program as a process without that right.
    package static func runWithoutPrivileges(
        _ program: BuiltProgram, _ arguments: [String]
    ) throws -> BuiltProgram.Result {
        guard geteuid() == 0 else { return try program.run(arguments) }
        let script =
            "import os,sys; os.setgid(\(nobody)); os.setuid(\(nobody)); os.execv(sys.argv[1], sys.argv[1:])"
        return try BuiltProgram(url: URL(filePath: "/usr/bin/env"))
            .run(["python3", "-c", script, program.url.path] + arguments)
    }

    /// Makes a folder, and all in it, readable only; or gives the right to write back.
    package static func setWritable(_ isWritable: Bool, _ folder: URL) throws {
        let manager = FileManager.default
        let files = manager.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        for case let file as URL in files + [folder] {
            let type = try manager.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
            let mode = (type == .typeDirectory ? 0o555 : 0o444) | (isWritable ? 0o200 : 0)
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }
    }

    /// A user that owns no file.
    private static let nobody: UInt32 = 65_534
}

/// https://man7.org/linux/man-pages/man2/setfsuid.2.html
@_silgen_name("setfsuid")
private func setFileSystemUser(_ user: UInt32) -> Int32
