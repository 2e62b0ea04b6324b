// The compressor that the changesets of SQLite's sessions are given to: https://facebook.github.io/zstd/zstd_manual.html
#include <zstd.h>
