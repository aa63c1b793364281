"""Reads the heap of a process from outside: the chunks that glibc's malloc has allocated (malloc/malloc.c,
"malloc_chunk"), and the private pages. The process takes no part in it, and is not changed."""

import collections
import os
import re
import statistics
import struct
import time

WORD = 8
# The flag bits in a chunk's size field. The lowest means that the chunk before it is in use.
FLAGS = 7
PREVIOUS_IN_USE = 1
ALIGNMENT = 16
# No address of this machine is higher. A higher number that occurs in many chunks is a random number, such as a hash
# seed.
ADDRESSES = 1 << 47
TRIES = 50
MAPPING = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \d+ *(.*)$")


class Unreadable(Exception):
    """The heap changed while it was read, or is not glibc's."""


def handed_out(pid):
    """The bytes in allocated chunks, and the number of these chunks. A freed chunk in a thread's cache counts as
    free."""
    for _ in range(TRIES):
        try:
            seen = walked(pid)
            if seen == walked(pid):
                return seen
        except Unreadable:
            pass
        # Try again a moment later in the cycle.
        time.sleep(0.013)
    raise SystemExit(f"the heap of process {pid} cannot be read")


def walked(pid):
    found = [(start, end) for start, end, name, _ in mappings(pid) if name == "[heap]"]
    if not found:
        raise Unreadable
    start, end = found[0]
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    try:
        room = os.pread(memory, end - start, start)
    finally:
        os.close(memory)
    # The C library may have put other data before its first chunk, such as a static program's thread-local storage.
    for first in range(0, min(len(room), 1 << 14), ALIGNMENT):
        found = chunks(room, first)
        if found:
            sizes = [size for _, size in without_cached(found)]
            return sum(sizes), len(sizes)
    raise Unreadable


def chunks(room, at):
    """The second word and the size of each chunk that malloc marks as in use; None if the chunks do not fill the heap
    up to its end."""
    found, before = [], None
    while at + 2 * WORD <= len(room):
        field, = struct.unpack_from("<Q", room, at + WORD)
        size = field & ~FLAGS
        if size < 2 * ALIGNMENT or size % ALIGNMENT or at + size > len(room):
            return None
        if before and field & PREVIOUS_IN_USE:
            found.append(before)
        # The second word after the chunk's header. The last chunk may not have one.
        word = room[at + 3 * WORD:at + 4 * WORD]
        before, at = (int.from_bytes(word, "little"), size), at + size
    # The last chunk is the top, which is free.
    return found if at == len(room) and len(found) > 1 else None


def without_cached(found):
    """Chunks in a thread's cache have the process's random number in their second word (tcache_key)."""
    words = collections.Counter(word for word, _ in found if word > ADDRESSES)
    (key, count), = words.most_common(1) or [(None, 0)]
    return [chunk for chunk in found if count < 2 or chunk[0] != key]


def mappings(pid):
    """The start, end, name and private dirty KB of each mapping; anonymous ones have no name."""
    with open(f"/proc/{pid}/smaps", encoding="ascii", errors="replace") as lines:
        where = None
        for line in lines:
            mapping = MAPPING.match(line)
            if mapping:
                where = int(mapping[1], 16), int(mapping[2], 16), mapping[3]
            elif line.startswith("Private_Dirty:"):
                yield *where, int(line.split()[1])


def halves(course):
    """The median of each half of the readings: single pages vary with the places where malloc finds room."""
    half = (len(course) + 1) // 2
    return statistics.median(course[:half]), statistics.median(course[half:])


def private_kb(pid):
    """The private KB of the heap and of anonymous memory, such as the stacks of threads and their heaps."""
    kept = {"heap": 0, "anonymous": 0}
    for _, _, name, dirty in mappings(pid):
        if name == "[heap]":
            kept["heap"] += dirty
        elif not name:
            kept["anonymous"] += dirty
    return kept
