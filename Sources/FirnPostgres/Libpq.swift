import CPostgres
import FirnLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// libpq, loaded when it is first asked for.
enum Libpq {
    /// Under these names a system has it.
    private static let names = ["libpq.so.5", "libpq.so"]

    /// The library's functions. Throws `missing` where it is not installed.
    static var functions: libpq {
        get throws(LogError) { try loaded.get() }
    }

    private static let loaded: Result<libpq, LogError> = load()

    private static func load() -> Result<libpq, LogError> {
        for name in names {
            guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            var functions = libpq()
            if let missing = load_libpq(library, &functions) {
                return .failure(
                    LogError(
                        .unsupportedVersion,
                        "This libpq has no \(String(cString: missing)); install that of PostgreSQL 12 or later.",
                        path: name))
            }
            return .success(functions)
        }
        return .failure(
            LogError(
                .missing,
                "A log on PostgreSQL needs libpq, which is not installed (on Debian: apt-get install libpq5).",
                path: names[0]))
    }
}
