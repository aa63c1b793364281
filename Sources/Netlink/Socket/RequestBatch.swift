import CNetlink
import Model

/// Several questions in one datagram.
///
/// The kernel takes them one after the other. Of a socket it holds one dump at a time, and refuses the next while one needs
/// a further pass (EBUSY, netlink_dump_start()). One that finds nothing needs none; on Linux 6.18 neighbours need none,
/// links, addresses and routes do: such a one stands last. What is refused is asked alone when its answer is wanted.
extension Conversation {
    /// Asks rtnetlink in advance what ``read(_:)`` will be asked. What fails is not told here.
    mutating func prefetch(_ requests: [Request]) {
        let open = requests.filter { recentAnswer(to: $0) == nil }
        let asked = now
        guard open.count > 1, let answers = try? askTogether(open) else { return }
        for case (let request, let answer?) in zip(open, answers) {
            prefetched.append((request, answer))
            recent?.keep(answer, to: request, at: asked)
        }
    }

    /// Asks rtnetlink what a check and a snapshot want to know, and may have been foreseen.
    mutating func read(_ request: Request) throws(Failure) -> [Message] {
        if let place = prefetched.firstIndex(where: { $0.request == request }) {
            return prefetched.remove(at: place).answer
        }
        if let answer = recentAnswer(to: request) { return answer }
        let asked = now
        let answer = try ask(request, of: route)
        recent?.keep(answer, to: request, at: asked)
        return answer
    }
}
