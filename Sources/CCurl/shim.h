// libcurl: https://curl.se/libcurl/
// Disable libcurl's check of argument types: it is a macro that needs a literal option. The functions below
// check the types instead.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <poll.h>
#include <sys/select.h>

// CURLE_TOO_LARGE. libcurl has it since 8.6, and the program may run with a newer libcurl than it was built
// with.
static const CURLcode curle_too_large = (CURLcode)100;

// curl_easy_setopt(3) and curl_easy_getinfo(3) are variadic, and Swift cannot call variadic functions. There
// is one function for each type of argument.
static inline CURLcode curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
static inline CURLcode curl_set_receiver(CURL *handle, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode curl_set_opener(CURL *handle, curl_opensocket_callback value) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode curl_set_closer(CURL *handle, curl_closesocket_callback value) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, value);
}
static inline CURLcode curl_get_number(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}

// Stores the descriptors that libcurl waits for (curl_multi_fdset(3)) for use with poll(2). Returns their
// number, at most `limit`.
static inline int curl_descriptors(CURLM *multi, struct pollfd *polls, int limit) {
    fd_set reading, writing, failing;
    int highest = -1, count = 0;
    FD_ZERO(&reading);
    FD_ZERO(&writing);
    FD_ZERO(&failing);
    if (curl_multi_fdset(multi, &reading, &writing, &failing, &highest) != CURLM_OK) return 0;
    for (int each = 0; each <= highest && count < limit; each++) {
        short events = (FD_ISSET(each, &reading) ? POLLIN : 0) | (FD_ISSET(each, &writing) ? POLLOUT : 0)
            | (FD_ISSET(each, &failing) ? POLLPRI : 0);
        if (events) polls[count++] = (struct pollfd){each, events, 0};
    }
    return count;
}

// Where this libcurl finds the certificates of trusted authorities: a file and a directory. NULL means none.
static inline const char *curl_authorities_file(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }
static inline const char *curl_authorities_directory(void) { return curl_version_info(CURLVERSION_NOW)->capath; }
