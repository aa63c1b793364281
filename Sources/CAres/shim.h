// c-ares, the asynchronous resolver: https://c-ares.org
// Allow the functions that are deprecated now: their replacements are not in Debian 12's version 1.18.
#define CARES_NO_DEPRECATED
#include <ares.h>
// Classes and types of DNS questions (RFC 1035).
#include <arpa/nameser.h>
// struct iovec, for ares_set_socket_functions(3).
#include <sys/uio.h>

// The statuses of c-ares as int, the type that functions and callbacks use. Older headers define them as
// numbers, newer ones as an enumeration, which is a different type in Swift.
static const int
    cares_success = ARES_SUCCESS,
    cares_enodata = ARES_ENODATA,
    cares_eformerr = ARES_EFORMERR,
    cares_eservfail = ARES_ESERVFAIL,
    cares_enotfound = ARES_ENOTFOUND,
    cares_enotimp = ARES_ENOTIMP,
    cares_erefused = ARES_EREFUSED,
    cares_ebadresp = ARES_EBADRESP,
    cares_econnrefused = ARES_ECONNREFUSED,
    cares_etimeout = ARES_ETIMEOUT,
    cares_enomem = ARES_ENOMEM,
    cares_edestruction = ARES_EDESTRUCTION,
    cares_ecancelled = ARES_ECANCELLED;
