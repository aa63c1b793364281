import Foundation
import Glibc

/// Runs a program on a terminal of its own, step by step, and checks what it draws and whether it restores
/// the terminal.
enum TerminalSession {
    enum Step {
        /// Waits until this text is drawn, after the text of the last step of this kind.
        case see(String)
        /// Like `see`, with a regular expression (Python's re).
        case match(String)
        case size(columns: Int, rows: Int)
        case key(String)
        /// Stops the program as Ctrl-Z does, and continues it. In between the terminal must be in its
        /// original state.
        case suspend
        case signal(Int32)
        /// Sends SIGTERM to another process.
        case end(pid_t)
        /// Runs another program to its end. Its status must be 0.
        case run([String])
        /// Sends a signal to another process.
        case tell(pid_t, Int32)

        fileprivate var words: [String] {
            switch self {
            case .see(let text): ["see", text]
            case .match(let pattern): ["match", pattern]
            case .size(let columns, let rows): ["size", "\(columns)x\(rows)"]
            case .key(let key): ["key", key]
            case .suspend: ["suspend", ""]
            case .signal(let number): ["signal", "\(number)"]
            case .run(let command): ["run", command.joined(separator: "\n")]
            case .end(let process): ["tell", "\(process) \(SIGTERM)"]
            case .tell(let process, let number): ["tell", "\(process) \(number)"]
            }
        }
    }

    /// Runs a command to its end.
    /// - Returns: the exit status of the command, and all that it drew. If a step did not succeed, or the
    ///   command did not restore the terminal, standard error says so, and the status is not 0.
    static func run(_ command: [String], _ steps: [Step], environment: [String: String] = [:]) throws
        -> RunOutcome
    {
        let words = steps.flatMap(\.words)
        let driver = try Child(
            ["python3", "-c", script, "\(steps.count)"] + words + command,
            environment: ["TERM": "xterm", "NO_COLOR": "", "LC_ALL": "C.UTF-8"].merging(environment) { $1 })
        return try driver.outcome()
    }

    private static let script = """
        import fcntl, os, pty, re, select, signal, struct, subprocess, sys, termios, time
        count = int(sys.argv[1])
        words, command = sys.argv[2:2 + 2 * count], sys.argv[2 + 2 * count:]
        master, slave = pty.openpty()
        def resize(columns, rows):
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        resize(120, 40)
        found = termios.tcgetattr(slave)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for descriptor in range(3):
                os.dup2(slave, descriptor)
            os.execvp(command[0], command)
        drawn = b""
        def take(seconds):
            global drawn
            if select.select([master], [], [], seconds)[0]:
                data = os.read(master, 65536)
                drawn += data
                sys.stdout.buffer.write(data)
                sys.stdout.flush()
        def fail(sentence):
            os.kill(pid, signal.SIGKILL)
            sys.exit(sentence)
        def until(sentence, condition):
            deadline = time.monotonic() + 60
            while not condition():
                if time.monotonic() > deadline:
                    fail("not in time: " + sentence)
                take(0.02)
        for verb, word in zip(words[::2], words[1::2]):
            if verb == "see":
                until("see " + word, lambda: word.encode() in drawn)
                drawn = drawn[drawn.index(word.encode()) + len(word.encode()):]
            elif verb == "match":
                until("match " + word, lambda: re.search(word.encode(), drawn))
                drawn = drawn[re.search(word.encode(), drawn).end():]
            elif verb == "size":
                resize(*map(int, word.split("x")))
            elif verb == "key":
                os.write(master, word.encode())
            elif verb == "signal":
                os.kill(pid, int(word))
            elif verb == "run":
                subprocess.run(word.split("\\n"), check=True, stdout=subprocess.DEVNULL)
            elif verb == "tell":
                os.kill(*map(int, word.split()))
            elif verb == "suspend":
                if termios.tcgetattr(slave) == found:
                    fail("the terminal is as it was while the program runs")
                os.kill(pid, signal.SIGTSTP)
                until("stopped", lambda: os.waitpid(pid, os.WNOHANG | os.WUNTRACED) != (0, 0))
                if termios.tcgetattr(slave) != found:
                    fail("the terminal is not as it was while the program is stopped")
                drawn = b""
                os.kill(pid, signal.SIGCONT)
        status = []
        def ended():
            child, code = os.waitpid(pid, os.WNOHANG)
            status.append(code)
            return child == pid
        until("the end", ended)
        while select.select([master], [], [], 0)[0]:
            take(0)
        if termios.tcgetattr(slave) != found:
            sys.exit("the terminal is not as it was")
        sys.exit(os.waitstatus_to_exitcode(status[-1]))
        """
}
