// SQLite's interface for the raw side of the benchmarks: https://sqlite.org/c3ref/intro.html
// Session changesets are measured too; Debian's library has them compiled in.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>
