import Glibc
import Testing

/// A service that checks once and then waits for an hour, for tests of clients' requests.
extension VirtualLink {
    /// Starts the service, and returns after its first check.
    func startQuietService() throws -> Child {
        let service = try start("run", ["--json", "--interval", "1h", "--probe", "none"])
        try eventually("the first cycle", detail: service.transcript) { service.cycles == 1 }
        return service
    }

    var controlSocket: String { runDirectory.path + "/control" }
}

extension Child {
    /// How many cycles of a service with --json have ended.
    var cycles: Int { RunOutcome.objects(in: standardOutput).count }

    /// Ends a running service as a service manager does, with SIGTERM, and expects the status 0.
    func endService() throws {
        #expect(!isOver, "\(transcript)")
        send(SIGTERM)
        let outcome = try outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }
}
