// c-ares, the asynchronous resolver: https://c-ares.org
#include <ares.h>
// Classes and types of questions (RFC 1035).
#include <arpa/nameser.h>
// struct iovec, for ares_set_socket_functions(3).
#include <sys/uio.h>
