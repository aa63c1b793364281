// Landlock (landlock(7)): a process gives up access to files, for itself and its children. The constants are
// defined here, because the kernel's headers may be older than the kernel.
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// struct landlock_ruleset_attr. An older kernel accepts members that it does not know if they are 0.
struct landlock_rules {
    uint64_t files;
    uint64_t ports;
    uint64_t scopes;
};

// struct landlock_path_beneath_attr
struct landlock_place {
    uint64_t allowed;
    int32_t descriptor;
} __attribute__((packed));

// Access rights (LANDLOCK_ACCESS_FS_*)
static const uint64_t landlock_write_file = 1U << 1;
static const uint64_t landlock_read_file = 1U << 2;
static const uint64_t landlock_read_directory = 1U << 3;
// LANDLOCK_ACCESS_FS_REMOVE_DIR, REMOVE_FILE, and MAKE_CHAR to MAKE_SYM
static const uint64_t landlock_change_directory = 0x1ff0;
static const uint64_t landlock_refer = 1U << 13;     // since version 2
static const uint64_t landlock_truncate = 1U << 14;  // since version 3
// Scopes (LANDLOCK_SCOPE_*), since version 6
static const uint64_t landlock_scope_abstract_sockets = 1U << 0;
static const uint64_t landlock_scope_signals = 1U << 1;

// The numbers of the system calls, which are equal on all architectures that Swift supports.
enum landlock_call { landlock_create_call = 444, landlock_add_call = 445, landlock_restrict_call = 446 };

// The version of Landlock; -1 if the kernel has none, or if this process may not use it.
static inline int landlock_version(void) { return (int)syscall(landlock_create_call, NULL, 0L, 1L); }
static inline int landlock_create(const struct landlock_rules *rules) {
    return (int)syscall(landlock_create_call, rules, sizeof *rules, 0L);
}
static inline int landlock_allow(int ruleset, const struct landlock_place *place) {
    return (int)syscall(landlock_add_call, (long)ruleset, 1L, place, 0L);
}
static inline int landlock_restrict(int ruleset) { return (int)syscall(landlock_restrict_call, (long)ruleset, 0L); }
