// Two functions of Linux that the C library shows only to programs of the GNU dialect.
// https://man7.org/linux/man-pages/man2/sync_file_range.2.html
// https://man7.org/linux/man-pages/man2/rename.2.html
#pragma once

int sync_file_range(int descriptor, long long offset, long long count, unsigned int flags);
int renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned int flags);

// Has dirty pages of the range written without waiting for them, and says nothing of what came of it.
static inline void start_writing(int descriptor, long long offset, long long count) {
    const unsigned int write = 2;
    sync_file_range(descriptor, offset, count, write);
}

// Gives what stands at two absolute paths each other's names, in one step. Returns -1 with `errno` set if it cannot.
static inline int exchange_names(const char *path, const char *other_path) {
    const int working_directory = -100;
    const unsigned int exchange = 2;
    return renameat2(working_directory, path, working_directory, other_path, exchange);
}
