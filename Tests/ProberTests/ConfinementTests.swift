import CLinux
import Foundation
import Glibc
import Testing

@testable import wifi_toggler_prober

/// What a confined helper can do, tried from the inside: in a copy of this process that has confined itself.
@Suite("The confinement of the helper") struct ConfinementTests {
    private enum Attempt: Int, CaseIterable {
        case readFile, readGroupsFile, readAccounts, listDirectory, listProcesses
        case createFile, openForWriting, truncate, removeFile, makeDirectory, rename, changeMode
        case localSocket, localDatagrams, netlinkSocket, packetSocket
        case signalParent, stopParent, ownSignals, start, trace, keyring, namespace

        /// Whether it succeeded.
        @inline(never) func succeeds(_ place: String, parent: pid_t) -> Bool {
            var ends: [Int32] = [-1, -1]
            switch self {
            case .readFile: return open(place + "/file", O_RDONLY) != -1
            case .readGroupsFile: return open(place + "/group's", O_RDONLY) != -1
            case .readAccounts: return open("/etc/passwd", O_RDONLY) != -1
            case .listDirectory: return open(place, O_RDONLY | O_DIRECTORY) != -1
            case .listProcesses: return open("/proc", O_RDONLY | O_DIRECTORY) != -1
            case .createFile: return open(place + "/new", O_CREAT | O_WRONLY, 0o600) != -1
            case .openForWriting: return open(place + "/file", O_WRONLY) != -1
            case .truncate: return Glibc.truncate(place + "/file", 0) != -1
            case .removeFile: return unlink(place + "/file") != -1
            case .makeDirectory: return mkdir(place + "/directory", 0o700) != -1
            case .rename: return Glibc.rename(place + "/file", place + "/other") != -1
            case .changeMode: return chmod(place + "/file", 0o777) != -1
            case .localSocket: return socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) != -1
            case .localDatagrams: return socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) != -1
            case .netlinkSocket: return socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), 0) != -1
            case .packetSocket: return socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0) != -1
            case .signalParent: return kill(parent, 0) != -1
            case .stopParent: return kill(parent, SIGCONT) != -1
            case .ownSignals: return call(Int(SYS_fcntl), 0, setOwner, Int(parent), 0) != -1
            case .start: return fork_this_process() != -1
            case .trace: return call(Int(SYS_ptrace), seize, Int(parent), 0, 0) != -1
            case .keyring: return call(Int(SYS_keyctl), 0, -3, 0, 0) != -1
            case .namespace: return call(Int(SYS_unshare), newUsers, 0, 0, 0) != -1
            }
        }
    }

    /// The user who starts the helper. With the service's user, who is not root, the helper keeps the
    /// service's groups.
    enum Starter: String, CaseIterable { case root, service }

    /// Numbers that no user and no group of this machine have.
    private static let (stranger, group): (uid_t, gid_t) = (64_613, 64_614)

    @Test(
        "the helper can use the network and read CA certificates, but reach no other file, socket or process",
        .enabled(if: geteuid() == 0 && landlock_version() > 0), arguments: Starter.allCases)
    func fromInside(_ starter: Starter) throws {
        let place = FileManager.default.temporaryDirectory.path + "/confined-\(getpid())-\(starter)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: place) }
        try Data("content".utf8).write(to: URL(fileURLWithPath: place + "/file"))
        // The confined copy may run as another user.
        chmod(place, 0o777)
        chmod(place + "/file", 0o666)
        try Data("secret".utf8).write(to: URL(fileURLWithPath: place + "/group's"))
        #expect(chmod(place + "/group's", 0o640) == 0 && chown(place + "/group's", 0, Self.group) == 0)
        let report = try #require(try Self.report(from: place, starter))
        #expect(report[0] == 1 && report[1] == 1, "it cannot work any more, or was not confined")
        let successes = Attempt.allCases.filter { report[2 + $0.rawValue] != 0 }
        #expect(successes.isEmpty)
        #expect(FileManager.default.contents(atPath: place + "/file") == Data("content".utf8))
    }

    /// What a confined copy of this process reports about its attempts; nil: three copies in a row have hung.
    /// A copy has only the thread that called fork(2), and hangs if another thread held a lock of the runtime
    /// at that moment.
    private static func report(from place: String, _ starter: Starter) throws -> [UInt8]? {
        for _ in 1...3 {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
            defer { close(ends[0]) }
            let parent = getpid()
            let child = fork_this_process()
            if child == 0 { attemptAll(place, starter, parent: parent, reportTo: ends[1]) }
            close(ends[1])
            var report = [UInt8](repeating: 7, count: Attempt.allCases.count + 2)
            let count = recv(ends[0], &report, report.count, 0)
            waitpid(child, nil, 0)
            if count != 0 {
                #expect(count == report.count)
                return report
            }
        }
        return nil
    }

    private static func attemptAll(
        _ place: String, _ starter: Starter, parent: pid_t, reportTo socket: Int32
    ) -> Never {
        // The signal ends a copy that hangs.
        alarm(30)
        dup2(socket, STDIN_FILENO)
        if starter == .service {
            var groups = [group]
            guard setgroups(1, &groups) == 0, setresgid(stranger, stranger, stranger) == 0,
                setresuid(stranger, stranger, stranger) == 0, open(place + "/group's", O_RDONLY) != -1
            else { _exit(1) }
        }
        var report = [UInt8](repeating: 0, count: Attempt.allCases.count + 2)
        if Confinement.enter() == nil {
            report[0] = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) != -1 ? 1 : 0
            report[1] = open("/etc/ssl/certs/ca-certificates.crt", O_RDONLY) != -1 ? 1 : 0
            for attempt in Attempt.allCases {
                report[2 + attempt.rawValue] = attempt.succeeds(place, parent: parent) ? 1 : 0
            }
        }
        send(STDIN_FILENO, &report, report.count, 0)
        _exit(0)
    }
}

/// The type of syscall(2). Swift cannot call the C function directly, because it is variadic.
private typealias Call = @convention(c) (Int, Int, Int, Int, Int) -> Int
private let call = unsafeBitCast(dlsym(dlopen(nil, RTLD_NOW), "syscall"), to: Call.self)
private let (setOwner, seize, newUsers) = (8, 0x4206, 0x1000_0000)  // F_SETOWN, PTRACE_SEIZE, CLONE_NEWUSER
