/// The mounted file systems, as `/proc/self/mountinfo` lists them
/// (https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html).
///
///     36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
///                      ↑ where                     ↑ type
struct MountTable {
    /// Types of file systems whose locks other machines may not see, or whose notifications miss their writes.
    static let networkTypes: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "glusterfs", "fuse.glusterfs", "fuse.sshfs", "lustre",
    ]

    private var mounts: [(point: String, type: String)] = []

    init(text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            guard fields.count > 4, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count
            else { continue }
            mounts.append((Self.unescape(fields[4]), String(fields[dash + 1])))
        }
    }

    /// The type of the file system that holds the absolute `path`.
    func type(of path: String) -> String? {
        var best: (length: Int, type: String)?
        for mount in mounts {
            let prefix = mount.point == "/" ? "/" : mount.point + "/"
            // A later mount on the same point covers the earlier one.
            if (path + "/").hasPrefix(prefix), prefix.utf8.count >= best?.length ?? 0 {
                best = (prefix.utf8.count, mount.type)
            }
        }
        return best?.type
    }

    /// Blanks, tabs, line feeds and backslashes stand as three octal digits after a backslash.
    private static func unescape(_ field: Substring) -> String {
        let bytes = Array(field.utf8)
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index + 3 < bytes.count,
                let byte = UInt8(String(decoding: bytes[index + 1...index + 3], as: UTF8.self), radix: 8)
            {
                plain.append(byte)
                index += 4
            } else {
                plain.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
