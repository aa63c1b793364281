// Functions of glibc 2.38 that the C library of Debian 12 lacks. Swift's runtime in Debian's archive was compiled
// against a newer C library, and refers to them. They are linked into cross-built programs, so that these run on Debian
// 12.
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Newer headers make programs call these instead of the standard functions. The newer functions also read binary
// numbers (0b1), which the runtime does not need.
int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int count = vsscanf(text, format, values);
    va_end(values);
    return count;
}

long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }

size_t strlcpy(char *target, const char *source, size_t size) {
    size_t length = strlen(source);
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(target, source, copied);
        target[copied] = 0;
    }
    return length;
}
