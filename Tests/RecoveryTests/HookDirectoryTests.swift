import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import Recovery

@MainActor
@Suite(
    "The hooks directory", .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "its files must be root's")
)
struct HookDirectoryTests {
    private final class Complaints { var lines: [String] = [] }

    private let scripts: CommandScripts
    private let complaints = Complaints()

    init() throws { scripts = try CommandScripts() }

    private func directory(timeout: Duration = .seconds(20)) -> HookDirectory {
        let complaints = complaints
        return HookDirectory(scripts.path, timeout: timeout) { complaints.lines.append($0) }
    }

    private static func message(_ text: String) -> (Int) -> HookDirectory.Message {
        { HookDirectory.Message(input: Array("\(text) \($0)\n".utf8), variables: ["EVENT": text]) }
    }

    private var told: [String] {
        (scripts.read("told") ?? "").split(separator: "\n").map(String.init)
    }

    /// Waits until this many lines were written.
    private func tells(_ count: Int) async -> Bool { await eventually { told.count >= count } }

    @Test("all hooks run in the order of their names, with the event on stdin and in the environment")
    func order() async throws {
        for name in ["20-b", "10-a", "30-c"] {
            _ = try scripts.write(
                #"echo "${0##*/} $(cat) $EVENT $LANG $# $(ls /proc/self/fd | wc -l)" >> ${0%/*}/told"#,
                to: name)
        }
        // Not hooks: a text for people, a hidden file, and files that an editor or dpkg left.
        for name in ["README", ".hidden", "40-d~", "50-e.dpkg-old"] {
            _ = try scripts.write(
                "echo \(name) >> ${0%/*}/told", to: name, mode: name == "README" ? 0o644 : 0o755)
        }
        let directory = directory()
        directory.post(about: "wlan0", Self.message("health"))
        directory.post(about: "wlan0", Self.message("held"))
        #expect(await tells(6))
        let expected = ["health", "held"].flatMap { event in
            ["10-a", "20-b", "30-c"].map { "\($0) \(event) 0 \(event) C 0 4" }
        }
        #expect(told == expected)
        #expect(complaints.lines.isEmpty)
    }

    @Test("a hook that others could have written is not run, and is reported once")
    func trusted() async throws {
        _ = try scripts.write("echo run >> ${0%/*}/told", to: "10-writable", mode: 0o757)
        let foreign = try scripts.write("echo run >> ${0%/*}/told", to: "20-foreign")
        #expect(chown(foreign, 65_534, 65_534) == 0)
        #expect(symlink("/bin/sh", scripts.path + "/30-link") == 0)
        _ = try scripts.write("echo good >> ${0%/*}/told", to: "40-good")
        let directory = directory()
        for count in 1...2 {
            directory.post(about: "wlan0", Self.message("health"))
            #expect(await tells(count))
        }
        #expect(told == ["good", "good"])
        let path = scripts.path
        #expect(
            complaints.lines == [
                "the hook \(path)/10-writable: not run: \(path)/10-writable is writable by its group or by others",
                "the hook \(path)/20-foreign: not run: \(path)/20-foreign belongs to the user 65534",
                "the hook \(path)/30-link: not run: \(path)/30-link is a symbolic link",
            ])
        chmod(path, 0o777)
        directory.post(about: "wlan0", Self.message("health"))
        #expect(await eventually { complaints.lines.count == 7 }, "the directory is not trusted either")
        #expect(
            complaints.lines.last
                == "the hook \(path)/40-good: not run: \(path) is writable by its group or by others")
        #expect(told.count == 2)
    }

    @Test("a failing hook is reported once until it succeeds, and the next hook runs all the same")
    func failing() async throws {
        _ = try scripts.write("cat > /dev/null; [ -e ${0%/*}/good ] || { echo no; exit 3; }", to: "10-fails")
        _ = try scripts.write("echo told >> ${0%/*}/told", to: "20-next")
        let directory = directory()
        for count in 1...4 {
            if count == 3 { scripts.open("good") }
            if count == 4 { unlink(scripts.path + "/good") }
            directory.post(about: "wlan0", Self.message("health"))
            #expect(await tells(count))
        }
        let line = "the hook \(scripts.path)/10-fails: ended with status 3: no"
        #expect(await eventually { complaints.lines.count == 2 })
        #expect(complaints.lines == [line, line])
    }

    @Test("a hook that exceeds its time-out is ended with its children, and the next one runs")
    func hanging() async throws {
        _ = try scripts.write(
            """
            trap '' TERM
            (while :; do /bin/sleep 0.1; done) &
            echo $$ $! >> ${0%/*}/numbers
            while :; do /bin/sleep 0.1; done
            """, to: "10-hangs")
        _ = try scripts.write("echo next >> ${0%/*}/told", to: "20-next")
        let directory = directory(timeout: .seconds(4))
        directory.post(about: "wlan0", Self.message("health"))
        #expect(await tells(1))
        let numbers = (scripts.read("numbers") ?? "").split(whereSeparator: \.isWhitespace).compactMap {
            pid_t($0)
        }
        #expect(numbers.count == 2)
        #expect(await eventually { numbers.allSatisfy { kill($0, 0) == -1 && errno == ESRCH } })
        #expect(complaints.lines == ["the hook \(scripts.path)/10-hangs: did not end in time, and was ended"])
    }

    @Test("in a flood only the latest event of each interface is delivered, with the number of dropped ones")
    func flood() async throws {
        _ = try scripts.write(
            """
            mkdir ${0%/*}/busy || echo twice >> ${0%/*}/told
            read event && echo $event >> ${0%/*}/told
            while [ ! -e ${0%/*}/go ]; do /bin/sleep 0.01; done
            rmdir ${0%/*}/busy
            """, to: "10-slow")
        let directory = directory()
        for number in 1...1000 {
            directory.post(about: "wlan0", Self.message("a\(number)"))
            directory.post(about: "wlan1", Self.message("b\(number)"))
        }
        #expect(await tells(1))
        scripts.open("go")
        #expect(await tells(3))
        #expect(told == ["a1 0", "b1000 999", "a1000 998"])
        // The directory is removed with this test, and must not change meanwhile.
        #expect(await eventually { access(scripts.path + "/busy", F_OK) != 0 })
    }

    @Test(
        "if the directory changes, the old one's hooks finish before the new one's begin"
    )
    func moved() async throws {
        for name in ["old", "new"] { #expect(mkdir(scripts.path + "/" + name, 0o755) == 0) }
        let notes = #"echo "${0##*/} $(cat)" >> ${0%/*}/../told"#
        _ = try scripts.write(
            "echo begun >> ${0%/*}/../told; while [ ! -e ${0%/*}/../go ]; do /bin/sleep 0.01; done",
            to: "old/10-slow")
        _ = try scripts.write(notes, to: "old/20-next")
        _ = try scripts.write(notes, to: "new/10-new")
        let complaints = complaints
        let directory = HookDirectory(scripts.path + "/old") { complaints.lines.append($0) }
        directory.post(about: "wlan0", Self.message("health"))
        #expect(await tells(1))
        directory.move(to: scripts.path + "/new")
        directory.post(about: "wlan0", Self.message("held"))
        scripts.open("go")
        #expect(await tells(3))
        #expect(told == ["begun", "20-next health 0", "10-new held 0"])
        #expect(complaints.lines.isEmpty)
    }

    @Test("without a directory events are dropped, and not delivered to a directory set later")
    func none() async throws {
        _ = try scripts.write(#"echo "$(cat)" >> ${0%/*}/told"#, to: "10-new")
        let complaints = complaints
        let directory = HookDirectory(nil) { complaints.lines.append($0) }
        directory.post(
            about: "wlan0",
            { _ in
                Issue.record("nobody is to be told")
                return HookDirectory.Message(input: [], variables: [:])
            })
        directory.move(to: scripts.path)
        directory.post(about: "wlan0", Self.message("absent"))
        #expect(await tells(1))
        #expect(told == ["absent 0"] && complaints.lines.isEmpty)
    }

    @Test("a missing directory is looked for at each event")
    func missing() async throws {
        let complaints = complaints
        let directory = HookDirectory(scripts.path + "/hooks.d") { complaints.lines.append($0) }
        directory.post(
            about: "wlan0",
            { _ in
                Issue.record("nobody is there to be told")
                return HookDirectory.Message(input: [], variables: [:])
            })
        #expect(mkdir(scripts.path + "/hooks.d", 0o755) == 0)
        _ = try scripts.write("echo there >> ${0%/*}/../told", to: "hooks.d/10-new")
        directory.post(about: "wlan0", Self.message("health"))
        #expect(await tells(1))
        #expect(complaints.lines.isEmpty)
    }
}
