import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("A configuration file that must be trusted")
struct TrustedFileTests {
    private let scratch: Scratch
    private var directory: String { scratch.path + "/etc" }
    private var file: String { directory + "/drivers.conf" }

    init() throws {
        scratch = try Scratch()
        try scratch.write("[a b]\n", to: "etc/drivers.conf")
        #expect(chmod(directory, 0o755) == 0 && chmod(file, 0o644) == 0)
    }

    private func text() throws(SystemError) -> String? { try TrustedFile.text("drivers.conf", in: directory) }

    private func code() -> Int32? {
        do throws(SystemError) {
            _ = try text()
            return nil
        } catch {
            #expect(!TrustedFile.description(of: error).isEmpty)
            return error.code
        }
    }

    @Test("a file is read whole, and a missing file or directory is no error")
    func read() throws {
        #expect(try text() == "[a b]\n")
        #expect(unlink(file) == 0)
        #expect(try text() == nil)
        #expect(rmdir(directory) == 0)
        #expect(try text() == nil)
    }

    @Test("a symbolic link to the file or to its directory is refused")
    func links() throws {
        #expect(rename(file, directory + "/real") == 0 && symlink("real", file) == 0)
        #expect(code() == ELOOP)
        #expect(rename(directory, scratch.path + "/real") == 0 && symlink("real", directory) == 0)
        #expect(code() == ENOTDIR)
    }

    @Test("anything but a regular file is refused without blocking")
    func kinds() throws {
        #expect(unlink(file) == 0 && mkfifo(file, 0o644) == 0)
        #expect(code() == EINVAL)
        #expect(unlink(file) == 0 && mkdir(file, 0o755) == 0)
        #expect(code() == EINVAL)
    }

    @Test(
        "a file that its group or others can write is refused", arguments: [0o664, 0o646, 0o666] as [mode_t])
    func modes(mode: mode_t) throws {
        #expect(chmod(file, mode) == 0)
        #expect(code() == EPERM)
    }

    @Test(
        "a file that belongs neither to root nor to this user is refused",
        .enabled(if: geteuid() == 0, "chown(2) needs root"))
    func owner() throws {
        #expect(chown(file, 65_534, 65_534) == 0)
        #expect(code() == EPERM)
        #expect(chown(file, 0, 0) == 0 && chown(directory, 65_534, 65_534) == 0)
        #expect(code() == EPERM)
    }

    @Test("a file of more than 64 KiB is refused")
    func size() throws {
        let most = String(repeating: "#", count: TrustedFile.largest)
        try scratch.write(most, to: "etc/drivers.conf")
        #expect(try text() == most)
        try scratch.write(most + "#", to: "etc/drivers.conf")
        #expect(code() == EFBIG)
        #expect(truncate(file, 1 << 40) == 0)
        #expect(code() == EFBIG)
    }
}
