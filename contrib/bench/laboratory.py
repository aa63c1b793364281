"""Shared by the benchmarks: a virtual link in its own network namespace, and the program on it."""

import contextlib
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# The place where contrib/build puts the release (contrib/lib.sh).
BINARY = f"{ROOT}/.build/release-static/wifi-toggler"
PEERS = f"{ROOT}/contrib/bench/peers"
NEAR, FAR = "bench0", "bench1"
NEAR_ADDRESS, FAR_ADDRESS = "10.63.1.2", "10.63.1.1"
INSIDE = "WIFI_TOGGLER_BENCH_INSIDE"
READY_SECONDS = 10
# Longer than a dozen checks, one every second.
AT_REST_SECONDS = 14
# How long each interface may take until the service is ready. It takes much less.
READY_SECONDS_EACH = 0.1


def enter_own_network():
    """Restarts this script in a network namespace, which ends with the process."""
    if INSIDE in os.environ:
        return
    # A user namespace gives an ordinary user CAP_NET_ADMIN inside it.
    identity = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    os.environ[INSIDE] = "yes"
    os.execvp("unshare", ["unshare", *identity, *namespaces, sys.executable, *sys.argv])


def make_link():
    for command in (
        f"link add {NEAR} type veth peer name {FAR}",
        f"link set {FAR} up",
        f"address add {NEAR_ADDRESS}/24 dev {NEAR}",
        f"link set {NEAR} up",
    ):
        subprocess.run(["ip", *command.split()], check=True)


@contextlib.contextmanager
def memory_file_system(path):
    """Locks and records of bounces are kept in memory, as below /run on every machine."""
    os.mkdir(path, 0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", path], check=True)


def installed(binary, folder):
    """A copy, written in the way that a package is unpacked. The linker's own output is in the page cache in another
    form, whose pages are mapped one by one: that costs a tenth of a bounce, and users do not run the program from
    there."""
    copy = f"{folder}/wifi-toggler"
    shutil.copy(binary, copy)
    return copy


def environment(folder):
    """The options that restrict the program to this link and this directory."""
    common = ["--any-interface", "--config", f"{folder}/empty.conf"]
    with open(f"{folder}/empty.conf", "w", encoding="ascii"):
        pass
    return [*common, "--run-dir", f"{folder}/run", "--state-dir", f"{folder}/state"]


def values(path, names):
    """The numbers after `Name:` in the lines of a file in /proc."""
    with open(path, encoding="ascii", errors="replace") as lines:
        table = dict(line.split(":", 1) for line in lines if ":" in line)
    return {name: int(table[name].split()[0]) for name in names}


def read_on(messages):
    """Reads, and drops, the states that the program reports, until the socket is shut down."""
    with messages, contextlib.suppress(OSError):
        while messages.recv(4096):
            pass


@contextlib.contextmanager
def running(binary, options, folder, interfaces=(NEAR,)):
    """Starts `run` on the link, and returns its process ID when it has reported that it is ready."""
    address = f"{folder}/notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
        ready.bind(address)
        ready.settimeout(READY_SECONDS + len(interfaces) * READY_SECONDS_EACH)
        with open(f"{folder}/run-output", "w", encoding="utf-8") as output:
            process = subprocess.Popen(
                [binary, "run", *options, *interfaces],
                env={**os.environ, "NOTIFY_SOCKET": address}, stdout=output, stderr=output)
        try:
            while b"READY=1" not in ready.recv(4096):
                pass
            # A service manager keeps reading. A socket that nobody reads would delay each cycle.
            ready.settimeout(None)
            threading.Thread(target=read_on, args=(ready.dup(),), daemon=True).start()
            yield process.pid
        except TimeoutError:
            with open(output.name, encoding="utf-8", errors="replace") as words:
                complaint = words.read()[-500:]
            raise SystemExit(f"run did not tell READY=1 in time\n{complaint}") from None
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
            os.unlink(address)
            # This affects both descriptors, so that the reading thread ends.
            ready.shutdown(socket.SHUT_RDWR)


def processor_seconds(pid):
    """The processor time of a process so far, including threads that have ended (clock_getcpuclockid(3))."""
    per_process_scheduler_clock = 2
    return time.clock_gettime(~pid << 3 | per_process_scheduler_clock)


def recorded(path):
    """The times of the core's events in a record (--record), in nanoseconds since boot."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if "event" in entry:
                yield entry["at"], entry["event"]


def memory(pid):
    """The memory of the process, in KB."""
    # The pages of an executable that was just written count as dirty until they are on the disk.
    os.sync()
    kept = values(f"/proc/{pid}/smaps_rollup", ["Private_Dirty", "Rss"])
    threads = values(f"/proc/{pid}/status", ["Threads"])["Threads"]
    return {"private_dirty_kb": kept["Private_Dirty"], "rss_kb": kept["Rss"], "threads": threads}


def read_afresh(path):
    """Takes the file out of the page cache, so that it is read from the disk as after a boot. A file that was
    just written is in the page cache in other pieces, of which the kernel maps more at a time. Of the same program,
    600 KB more were resident after the linker had written it, and 400 KB more after it was copied."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def memory_at_rest(binary, options, folder):
    """The memory of `run` on a healthy link, in KB, after a dozen checks."""
    read_afresh(binary)
    with running(binary, [*options, "--interval", "1s"], folder) as process:
        time.sleep(AT_REST_SECONDS)
        return memory(process)


def system_calls(command, table):
    """The system calls of one run of a command and its children, as `strace -c` counts them, which omits calls that do
    not return: the exit of each process. None if it failed."""
    ran = subprocess.run(["strace", "-f", "-c", "-o", table, *command], capture_output=True, check=False)
    return counted(table) if ran.returncode == 0 else None


def counted(table):
    """The total of calls in a table of `strace -c`; None if there is no table."""
    with open(table, encoding="ascii") as lines:
        total = [line.split() for line in lines if line.rstrip().endswith("total")]
    # The columns are: % time, seconds, usecs/call, calls, and errors if there were any.
    return int(total[0][3]) if total else None


def machine():
    with open("/etc/debian_version", encoding="ascii") as version:
        debian = version.read().strip()
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {"processor": names[0] if names else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release(), "debian": debian}


def headline(about):
    """The machine in one line, for people."""
    return f"{about['processor']}, {about['cores']} cores, kernel {about['kernel']}, Debian {about['debian']}"


def compiled(name, folder):
    """A program of contrib/bench/peers in C, static: it starts without a dynamic loader."""
    compiler = next((word for word in ("gcc", "clang") if shutil.which(word)), None)
    if not compiler:
        raise SystemExit("neither gcc nor clang is on PATH: the programs in C cannot be built")
    program = f"{folder}/{name}"
    flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-pthread"]
    subprocess.run([compiler, *flags, "-o", program, f"{PEERS}/{name}.c"], check=True)
    return program
