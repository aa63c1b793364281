"""What the benchmarks share: a virtual link in a network namespace of its own, and the program on it."""

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
# Where contrib/build leaves the release (contrib/lib.sh).
BINARY = f"{ROOT}/.build/release-static/wifi-toggler"
PEERS = f"{ROOT}/contrib/bench/peers"
NEAR, FAR = "bench0", "bench1"
NEAR_ADDRESS, FAR_ADDRESS = "10.63.1.2", "10.63.1.1"
INSIDE = "WIFI_TOGGLER_BENCH_INSIDE"
READY_SECONDS = 10
# Longer than the two seconds after which the program returns the memory of its start, and a dozen checks.
AT_REST_SECONDS = 14
# Much longer than an interface takes.
READY_SECONDS_EACH = 0.1


def enter_own_network():
    """Starts again in a network namespace, which ends with this process."""
    if INSIDE in os.environ:
        return
    # A user namespace gives an ordinary user the network administrator's capabilities inside it.
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
    """The lock and the record of a bounce live in memory, as below /run on every machine."""
    os.mkdir(path, 0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", path], check=True)


def installed(binary, folder):
    """A copy, written as a package is unpacked. The linker leaves its output in the page cache in another form,
    of which each page is mapped alone: a tenth of a bounce, and nobody runs the program from there."""
    copy = f"{folder}/wifi-toggler"
    shutil.copy(binary, copy)
    return copy


def environment(folder):
    """Options that keep it to this link and this folder."""
    common = ["--any-interface", "--config", f"{folder}/empty.conf"]
    with open(f"{folder}/empty.conf", "w", encoding="ascii"):
        pass
    return [*common, "--run-dir", f"{folder}/run", "--state-dir", f"{folder}/state"]


def values(path, names):
    """The numbers behind `Name:` lines of a file in /proc."""
    with open(path, encoding="ascii", errors="replace") as lines:
        table = dict(line.split(":", 1) for line in lines if ":" in line)
    return {name: int(table[name].split()[0]) for name in names}


def read_on(messages):
    """What the program says of its state, until there is nobody to say it."""
    with messages, contextlib.suppress(OSError):
        while messages.recv(4096):
            pass


@contextlib.contextmanager
def running(binary, options, folder, interfaces=(NEAR,)):
    """`run` on the link, once it has told that it is ready; its process id."""
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
            # A service manager keeps reading; a socket that nobody reads would delay each cycle.
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
            # For both descriptors: the thread that still reads ends.
            ready.shutdown(socket.SHUT_RDWR)


def processor_seconds(pid):
    """What a process has spent so far, with its threads that have ended (clock_getcpuclockid(3))."""
    per_process_scheduler_clock = 2
    return time.clock_gettime(~pid << 3 | per_process_scheduler_clock)


def recorded(path):
    """What was told to the core by a record (--record), in nanoseconds since boot."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if "event" in entry:
                yield entry["at"], entry["event"]


def memory(pid):
    """What it keeps, in KB."""
    # Pages of an executable that was just written count as dirty until they are on the disk.
    os.sync()
    kept = values(f"/proc/{pid}/smaps_rollup", ["Private_Dirty", "Rss"])
    threads = values(f"/proc/{pid}/status", ["Threads"])["Threads"]
    return {"private_dirty_kb": kept["Private_Dirty"], "rss_kb": kept["Rss"], "threads": threads}


def memory_at_rest(binary, options, folder):
    """What `run` keeps while all is well, in KB: a dozen looks after it has given back what its start needed."""
    with running(binary, [*options, "--interval", "1s"], folder) as process:
        time.sleep(AT_REST_SECONDS)
        return memory(process)


def system_calls(command, table):
    """System calls of one life of a command, children included, as `strace -c` counts them, which leaves out what does
    not return: the exit of each process. Nothing where it failed."""
    ran = subprocess.run(["strace", "-f", "-c", "-o", table, *command], capture_output=True, check=False)
    return counted(table) if ran.returncode == 0 else None


def counted(table):
    """All calls in a table of `strace -c`; nothing where it has none."""
    with open(table, encoding="ascii") as lines:
        total = [line.split() for line in lines if line.rstrip().endswith("total")]
    # Columns: % time, seconds, usecs/call, calls, then errors if there were any.
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
