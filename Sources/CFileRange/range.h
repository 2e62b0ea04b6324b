// One function of Linux that the C library shows only to programs of the GNU dialect.
// https://man7.org/linux/man-pages/man2/sync_file_range.2.html
#pragma once

int sync_file_range(int descriptor, long long offset, long long count, unsigned int flags);

// Has dirty pages of the range written without waiting for them, and says nothing of what came of it.
static inline void start_writing(int descriptor, long long offset, long long count) {
    const unsigned int write = 2;
    sync_file_range(descriptor, offset, count, write);
}
