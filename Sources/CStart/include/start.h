// What Swift's runtime and libdispatch do before main() in a static executable and this program has no use of. There is
// nothing to call: start.c takes the places of two of their functions.
#pragma once
