import CAres
import CCurl
import CLinux
import Glibc
import HelperProtocol

/// The main loop of the helper: waits for requests and for the network, and sends answers. The helper has one
/// thread, which blocks only in poll(2), so it notices at once when the main program ends, and exits.
final class HelperService {
    private let channel: Int32
    private let multi: CurlMulti?
    private var questions: [Question] = []

    private enum Limit {
        /// The most questions that are handled at the same time. A further question is refused.
        static let questions = 16
        /// The most descriptors of libcurl: two for each question, one per address family, and some in
        /// reserve.
        static let descriptors = 64
    }

    init(channel: Int32) {
        self.channel = channel
        let isReady =
            curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
            && ares_library_init(ARES_LIB_INIT_ALL) == cares_success
        multi = isReady ? curl_multi_init() : nil
    }

    /// Handles requests until the main program closes the channel, or until an error.
    /// - Returns: the exit status.
    func serve() -> ExitStatus {
        guard let multi else { return .unavailable }
        while true {
            var polls = [pollfd(fd: channel, events: Int16(POLLIN), revents: 0)] + questions.flatMap(\.polls)
            polls += descriptors(of: multi)
            let count = poll(&polls, nfds_t(polls.count), timeout(multi))
            guard count >= 0 || errno == EINTR else { return .socketFailed }
            if count > 0, polls[0].revents != 0, let end = read(multi) { return end }
            let ready = count > 0 ? polls.dropFirst().filter { $0.revents != 0 } : []
            proceedTransfers(multi)
            for question in questions { question.proceed(ready) }
            if let end = answer() { return end }
        }
    }

    private func descriptors(of multi: CurlMulti) -> [pollfd] {
        var polls = [pollfd](repeating: pollfd(), count: Limit.descriptors)
        let count = curl_descriptors(multi, &polls, Int32(polls.count))
        return Array(polls.prefix(Int(count)))
    }

    /// How long to wait, in milliseconds; -1 for no limit.
    private func timeout(_ multi: CurlMulti) -> Int32 {
        guard let own = questions.map(\.wait).min() else { return -1 }
        var curls = -1
        curl_multi_timeout(multi, &curls)
        return curls < 0 ? own.wholeMilliseconds : min(own.wholeMilliseconds, Int32(clamping: curls))
    }

    private func proceedTransfers(_ multi: CurlMulti) {
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        var rest: Int32 = 0
        while let message = curl_multi_info_read(multi, &rest)?.pointee {
            guard message.msg == CURLMSG_DONE else { continue }
            for question in questions { question.finished(message.easy_handle, message.data.result) }
        }
    }

    // MARK: The channel

    /// Reads all requests that have arrived.
    /// - Returns: the exit status; nil to continue.
    private func read(_ multi: CurlMulti) -> ExitStatus? {
        while true {
            // The buffer is one byte longer than the longest request. A message that fills it is too long.
            var bytes = [UInt8](repeating: 0, count: HelperRequest.longest + 1)
            let count = recv(channel, &bytes, bytes.count, message_dont_wait)
            if count == -1 {
                switch errno {
                case EAGAIN, EINTR: return nil
                default: return .socketFailed
                }
            }
            if count == 0 { return .done }
            guard let request = HelperRequest(Array(bytes.prefix(count))) else { return .badRequest }
            if let end = take(request, multi) { return end }
        }
    }

    static let tooMany = HelperAnswer.Outcome.unknown(
        code: 0,
        description: "more than \(Limit.questions) questions at a time (give fewer dns and http probes)")

    private func take(_ request: HelperRequest, _ multi: CurlMulti) -> ExitStatus? {
        guard !questions.contains(where: { $0.id == request.id }) else { return .badRequest }
        guard questions.count < Limit.questions else {
            return send(HelperAnswer(id: request.id, Self.tooMany))
        }
        questions.append(Question(request, multi))
        return nil
    }

    /// Sends the answers of finished questions.
    private func answer() -> ExitStatus? {
        var open: [Question] = []
        for question in questions {
            guard let outcome = question.outcome else {
                open.append(question)
                continue
            }
            if let end = send(HelperAnswer(id: question.id, outcome)) { return end }
        }
        questions = open
        return nil
    }

    private func send(_ answer: HelperAnswer) -> ExitStatus? {
        let bytes = answer.bytes
        let flags = message_dont_wait | send_no_signal
        return Glibc.send(channel, bytes, bytes.count, flags) == bytes.count ? nil : .socketFailed
    }
}
