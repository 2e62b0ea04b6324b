// Most tests use contexts on whatever thread they run on. So the messages of debug builds about that are off, unless the
// environment asks for the check. This runs when the tests are loaded, before anything reads the variable.
#include <stdlib.h>

__attribute__((constructor)) static void switch_queue_check_off(void) {
    setenv("FIRN_CONCURRENCY_DEBUG", "0", 0);
}
