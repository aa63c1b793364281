// inih, the INI parser: https://github.com/benhoyt/inih
#include <ini.h>
// getopt_long(3), which Swift's own map of the C library leaves out.
#include <getopt.h>
