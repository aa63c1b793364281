import Foundation

/// A process that answers in place of the service.
extension VirtualLink {
    /// Makes the service's directory, with the owner and the mode that a service of root's gives it.
    func makeRunDirectory() throws {
        try FileManager.default.createDirectory(
            at: runDirectory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    /// Answers one call at the control socket with this message, or not at all if it is empty, and closes
    /// the connection.
    func answerOnce(_ message: String) throws -> Child {
        let script = """
            import os, socket, sys
            path = sys.argv[1]
            if os.path.exists(path):
                os.unlink(path)
            server = socket.socket(socket.AF_UNIX)
            server.bind(path)
            server.listen(1)
            print("ready", flush=True)
            client = server.accept()[0]
            client.recv(4096)
            if sys.argv[2]:
                client.sendall(sys.argv[2].encode() + bytes(1))
            client.close()
            """
        let server = try Child(["python3", "-c", script, controlSocket, message])
        try eventually("it listens", detail: server.transcript) { server.standardOutput.contains("ready") }
        return server
    }
}
