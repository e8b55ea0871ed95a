// How many tests run at once: twice as many as there are cores, unless the environment says otherwise.
//
// Without a limit all of them begin at once, and each step of one waits for a step of every other: what takes a second
// alone takes half an hour, beyond each time limit. The runner reads its limit from the environment when it starts, and
// nothing in a package can tell it sooner than a constructor.

#include "TestWidth.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const variable = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH";

__attribute__((constructor)) static void limit_test_width(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    char width[32];
    snprintf(width, sizeof width, "%ld", 2 * (cores > 0 ? cores : 1));
    setenv(variable, width, 0);
}

int test_width(void) {
    const char *width = getenv(variable);
    return width ? atoi(width) : 0;
}
