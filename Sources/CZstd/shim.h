#include <zstd.h>
#include <zdict.h>
#include <zstd_errors.h>
