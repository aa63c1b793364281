"""Runs watchdogs from start to end, each in its own network with a far end that answers late; measures their cost.

The cost of a cycle is the difference between a long run and a short one, so that starting and ending cancel out.
Threads and children that have ended are included (wait4(2) and strace, both with all children)."""

import collections
import concurrent.futures
import contextlib
import ctypes
import os
import re
import signal
import subprocess
import time

from laboratory import FAR, FAR_ADDRESS, NEAR, NEAR_ADDRESS

LATE_MILLISECONDS = 5
NEAR_MAC, FAR_MAC = "02:00:00:00:63:02", "02:00:00:00:63:01"
# How many of the events that an epoll returns are shown in a trace.
EVENTS_AT_ONCE = 16
CLONES = ("clone", "clone3", "fork", "vfork")
# Python has os.setns() only since 3.12.
LIBRARY = ctypes.CDLL(None, use_errno=True)
# Only the measured program may send packets, so turn off IPv6, which sends by itself, and answers by the kernel.
QUIET = """for path in /proc/sys/net/ipv6/conf/default/disable_ipv6 /proc/sys/net/ipv4/icmp_echo_ignore_all; do
    [ ! -e "$path" ] || echo 1 >"$path"
done
echo
exec sleep infinity"""


class Network:
    """Two hosts and a virtual link between them; each host is a process that holds its namespaces. A host has its own
    process namespace: a program that reads /proc at its start finds the same number of processes in each run."""

    def __init__(self, late):
        self.near, self.far = (self.held(), self.held())
        subprocess.run(
            ["ip", "link", "add", NEAR, "address", NEAR_MAC, "netns", str(self.near.pid), "type", "veth", "peer",
             "name", FAR, "address", FAR_MAC, "netns", str(self.far.pid)], check=True)
        self.configure(self.far, FAR, FAR_ADDRESS, f"neighbour add {NEAR_ADDRESS} lladdr {NEAR_MAC} dev {FAR}")
        self.configure(self.near, NEAR, NEAR_ADDRESS, f"neighbour add {FAR_ADDRESS} lladdr {FAR_MAC} dev {NEAR}",
                       f"route add default via {FAR_ADDRESS} dev {NEAR}")
        self.responder = subprocess.Popen(
            [*self.entering(self.far), late, str(LATE_MILLISECONDS)], stdout=subprocess.PIPE)
        if not self.responder.stdout.readline():
            raise SystemExit("the far end's responder did not start")

    @staticmethod
    def held():
        holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", QUIET],
            stdout=subprocess.PIPE)
        holder.stdout.readline()
        return holder

    @staticmethod
    def entering(host):
        return ["nsenter", f"--net=/proc/{host.pid}/ns/net", f"--mount=/proc/{host.pid}/ns/mnt"]

    def configure(self, host, interface, address, *more):
        commands = ["link set lo up", f"address add {address}/24 dev {interface}", f"link set {interface} up", *more]
        subprocess.run([*self.entering(host), "ip", "-batch", "-"], input="\n".join(commands), text=True, check=True)

    def begun(self, command, **options):
        """Starts `command` as a process of the near end. It is a child of this process, which therefore learns its
        resource usage: the next children of the calling thread are in the near end's process namespace
        (pid_namespaces(7))."""
        with open(f"/proc/{self.near.pid}/ns/pid_for_children", "rb") as namespace:
            if LIBRARY.setns(namespace.fileno(), 0):
                raise OSError(ctypes.get_errno(), f"no process can begin in {namespace.name}")
        return subprocess.Popen([*self.entering(self.near), *command], start_new_session=True, **options)

    def sent(self):
        """The number of packets that the near end has sent since it exists."""
        with open(f"/proc/{self.near.pid}/net/dev", encoding="ascii") as table:
            row = next(line for line in table if line.strip().startswith(f"{NEAR}:"))
        # After the name come eight columns of received counts, then the bytes and packets sent.
        return int(row.partition(":")[2].split()[9])

    def close(self):
        for process in (self.responder, self.near, self.far):
            process.kill()
            process.wait()
            process.stdout.close()


@contextlib.contextmanager
def networks(count, late):
    made = []
    try:
        for _ in range(count):
            made.append(Network(late))
        yield made
    finally:
        for network in made:
            network.close()


Life = collections.namedtuple("Life", "name command seconds trace", defaults=(None,))
Cost = collections.namedtuple("Cost", "switches processor sent calls timers")


def lived(life, network, output):
    """The cost of one whole run: voluntary context switches, processor µs, packets, and if traced system calls."""
    # strace cuts off strings and lists, but a list of events must be complete.
    traced = ["strace", "-f", "-qq", "-s", str(EVENTS_AT_ONCE), "-e", "signal=none", "-o", life.trace] if life.trace else []
    before = network.sent()
    with open(output, "wb") as words:
        process = network.begun([*traced, *life.command], stdin=subprocess.DEVNULL, stdout=words, stderr=words)
    time.sleep(life.seconds)
    if process.poll() is not None:
        with open(output, encoding="utf-8", errors="replace") as words:
            raise SystemExit(f"{life.name} ended by itself, status {process.returncode}\n{words.read()[-500:]}")
    sent = network.sent() - before
    os.killpg(process.pid, signal.SIGTERM)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    calls, timers = counted(life.trace) if life.trace else (None, None)
    return Cost(usage.ru_nvcsw, (usage.ru_utime + usage.ru_stime) * 1e6, sent, calls, timers)


def all_lived(lives, late, folder):
    """The costs of runs that all happen at the same time; they mostly wait."""
    with networks(len(lives), late) as hosts, \
            concurrent.futures.ThreadPoolExecutor(max_workers=len(lives)) as threads:
        outputs = [f"{folder}/output-{number}" for number in range(len(lives))]
        return list(threads.map(lived, lives, hosts, outputs))


CALL = re.compile(r"^\d+ +(\w+)\(")
# If another thread has interrupted a call, the second half of the call ends in the same way.
TIMER_MADE = re.compile(r"timerfd_create.*= (\d+)$")
WATCHED = re.compile(r"epoll_ctl\(\d+, EPOLL_CTL_(?:ADD|MOD), (\d+), \{.*?u(?:32|64)=(\d+)")
WOKEN = re.compile(r"\{events=[A-Z|]+, data=\{u32=(\d+)")
TIMED_OUT = re.compile(r"epoll_p?wait.*, [1-9]\d*(?:, NULL, 8)?\) += 0$")


def counted(trace):
    """The system calls of a trace by name, and how often epoll_wait(2) timed out or reported an expired timer."""
    calls, timers, tags, due = collections.Counter(), set(), set(), 0
    with open(trace, encoding="ascii", errors="replace") as lines:
        for line in lines:
            call = CALL.match(line)
            if call:
                calls[call[1]] += 1
            made, watched = TIMER_MADE.search(line), WATCHED.search(line)
            if made:
                timers.add(made[1])
            elif watched and watched[1] in timers:
                tags.add(watched[2])
            elif "epoll_" in line and "EPOLL_CTL" not in line:
                due += sum(tag in tags for tag in WOKEN.findall(line)) + bool(TIMED_OUT.search(line))
    return calls, due


def difference(long, short, cycles):
    """The cost of one cycle. `cycles`: how many more the long run has than the short one."""
    costs = {
        "context switches": (long.switches - short.switches) / cycles,
        "processor µs": (long.processor - short.processor) / cycles,
        "packets": (long.sent - short.sent) / cycles,
    }
    return {name: round(value, 2) for name, value in costs.items()}


def traced_difference(long, short, cycles):
    calls = {name: (long.calls[name] - short.calls[name]) / cycles for name in {*long.calls, *short.calls}}
    return {
        "system calls": round(sum(calls.values()), 2),
        "clones": round(sum(calls.get(name, 0) for name in CLONES), 2),
        "timer events": round((long.timers - short.timers) / cycles, 2),
        "by name": {name: round(each, 2) for name, each in sorted(calls.items(), key=lambda pair: -pair[1]) if each},
    }
