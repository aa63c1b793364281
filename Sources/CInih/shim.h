// inih, the INI parser: https://github.com/benhoyt/inih
#include <ini.h>
// getopt_long(3), which the toolchain's Glibc module lacks.
#include <getopt.h>
