import CCurl
import Glibc
import HelperProtocol
import Model
import Platform

/// One GET request by libcurl to addresses that were resolved before. It does not resolve names, follow
/// redirects, decompress, store anything or use a proxy, and it reads little.
final class HTTPRequest {
    let target: HTTPTarget
    private let addresses: [IPAddress]
    private let device: Device
    private let keepsBody: Bool
    private let handle: CurlHandle
    private var resolution: UnsafeMutablePointer<curl_slist>?
    private var headers: UnsafeMutablePointer<curl_slist>?

    private var faults: [SocketFault] = []
    private var headerSize = 0
    private var location: [UInt8]?
    private var body: [UInt8] = []
    /// Whether reading was stopped because enough was read.
    private var hasEnough = false
    private var isHeaderEndless = false
    /// The result; nil while the request is under way.
    private(set) var facts: HTTPFacts?

    private enum Limit {
        static let header = 16 << 10
        static let body = 16 << 10
        /// The size of libcurl's buffer in bytes, which limits what one callback gets (CURLOPT_BUFFERSIZE).
        static let buffer = 4 << 10
    }

    /// Returns nil if libcurl could not create or configure the transfer.
    init?(
        url: String, _ target: HTTPTarget, addresses: [IPAddress], device: Device, keepsBody: Bool,
        timeout: Duration
    ) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.target = target
        self.addresses = addresses
        self.device = device
        self.keepsBody = keepsBody
        guard configure(url: url, timeout: timeout) else { return nil }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(resolution)
        curl_slist_free_all(headers)
    }

    func begin(_ multi: CurlMulti) { curl_multi_add_handle(multi, handle) }
    func end(_ multi: CurlMulti) { curl_multi_remove_handle(multi, handle) }
    func isOf(_ other: CurlHandle?) -> Bool { other == handle }

    // MARK: Request

    private func configure(url: String, timeout: Duration) -> Bool {
        if case .name(let name) = target.host {
            let list = addresses.map { $0.isIPv6 ? "[\($0)]" : "\($0)" }.joined(separator: ",")
            resolution = curl_slist_append(nil, "\(name):\(target.port):\(list)")
        }
        headers = curl_slist_append(nil, "Cache-Control: no-cache")
        let own = Unmanaged.passUnretained(self).toOpaque()
        let results = [
            curl_set_text(handle, CURLOPT_URL, url),
            curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
            curl_set_list(handle, CURLOPT_RESOLVE, resolution),
            curl_set_list(handle, CURLOPT_HTTPHEADER, headers),
            curl_set_text(handle, CURLOPT_USERAGENT, "wifi-toggler"),
            curl_set_text(handle, CURLOPT_PROXY, ""),
            curl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0),
            curl_set_number(handle, CURLOPT_NETRC, 0),
            curl_set_number(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            curl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 1),
            curl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 2),
            curl_set_number(handle, CURLOPT_NOSIGNAL, 1),
            curl_set_number(handle, CURLOPT_FRESH_CONNECT, 1),
            curl_set_number(handle, CURLOPT_FORBID_REUSE, 1),
            curl_set_number(handle, CURLOPT_BUFFERSIZE, Limit.buffer),
            curl_set_number(handle, CURLOPT_TIMEOUT_MS, Int(max(1, timeout.wholeMilliseconds))),
            curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, timeout.wholeMilliseconds))),
            curl_set_receiver(handle, CURLOPT_HEADERFUNCTION, Self.takesHeader),
            curl_set_pointer(handle, CURLOPT_HEADERDATA, own),
            curl_set_receiver(handle, CURLOPT_WRITEFUNCTION, Self.takesBody),
            curl_set_pointer(handle, CURLOPT_WRITEDATA, own),
            curl_set_opener(handle, Self.opens),
            curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, own),
            curl_set_closer(handle, Self.closes),
        ]
        return results.allSatisfy { $0 == CURLE_OK }
    }

    // MARK: Answer

    private static let takesHeader: curl_write_callback = { bytes, size, count, own in
        request(own).takeHeader(UnsafeBufferPointer(start: bytes, count: size * count))
    }

    private static let takesBody: curl_write_callback = { bytes, size, count, own in
        request(own).takeBody(UnsafeBufferPointer(start: bytes, count: size * count))
    }

    /// Opens a socket that is bound to the interface. libcurl's own option (CURLOPT_INTERFACE) would use the
    /// interface's address if the socket cannot be bound. Only the resolved addresses are contacted.
    private static let opens: curl_opensocket_callback = { own, _, address in
        let own = request(own)
        guard let address, let target = ipAddress(address) else { return CURL_SOCKET_BAD }
        return own.openSocket(target, address.pointee)
    }

    /// The address in libcurl's structure. The last member of the structure is declared as a sockaddr, which
    /// is too short for IPv6. A longer address continues behind that member, so a copy of the structure would
    /// have only a part of it.
    private static func ipAddress(_ request: UnsafePointer<curl_sockaddr>) -> IPAddress? {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let length = min(Int(request.pointee.addrlen), MemoryLayout<sockaddr_in6>.size)
        return SocketAddress(
            bytes: UnsafeRawBufferPointer(start: UnsafeRawPointer(request) + offset, count: length))?.address
    }

    private static let closes: curl_closesocket_callback = { _, descriptor in
        closeSocket(descriptor)
        return 0
    }

    private static func request(_ own: UnsafeMutableRawPointer?) -> HTTPRequest {
        Unmanaged<HTTPRequest>.fromOpaque(own!).takeUnretainedValue()
    }

    /// Handles one line of the header. A result that is less than the length of the line ends the transfer.
    private func takeHeader(_ line: UnsafeBufferPointer<CChar>) -> Int {
        headerSize += line.count
        guard headerSize <= Limit.header else {
            isHeaderEndless = true
            return 0
        }
        let bytes = line.map { UInt8(bitPattern: $0) }
        let name = Array("location:".utf8)
        if bytes.count > name.count, zip(bytes, name).allSatisfy({ $0 | 0x20 == $1 || $0 == $1 }) {
            let value = bytes[name.count...].drop { $0 == 0x20 || $0 == 0x09 }
            location = Array(value.prefix { $0 != 0x0d && $0 != 0x0a })
        }
        return line.count
    }

    private func takeBody(_ bytes: UnsafeBufferPointer<CChar>) -> Int {
        if keepsBody { body += bytes.prefix(Limit.body - body.count).map { UInt8(bitPattern: $0) } }
        hasEnough = !keepsBody || body.count >= Limit.body
        return hasEnough ? 0 : bytes.count
    }

    private struct OpenSocket {
        /// Nil if the request was released before libcurl has closed the socket.
        weak var request: HTTPRequest?
        let target: IPAddress
    }

    /// The sockets that libcurl has not closed yet. A request cannot keep its own ones: since version 8.10,
    /// libcurl shuts TLS down after the request has ended, and closes the socket some time later. The helper
    /// has only one thread.
    private nonisolated(unsafe) static var open: [Int32: OpenSocket] = [:]

    private func openSocket(_ address: IPAddress, _ request: curl_sockaddr) -> Int32 {
        guard addresses.contains(address) else { return CURL_SOCKET_BAD }
        do throws(SystemError) {
            let descriptor = try device.socket(
                family: request.family, type: request.socktype, protocol: request.protocol)
            Self.open[descriptor] = OpenSocket(request: self, target: address)
            return descriptor
        } catch {
            faults.append(SocketFault(code: error.code, origin: .ours))
            return CURL_SOCKET_BAD
        }
    }

    /// Closes a socket. Before that, reads its error queue, the only place where the kernel names the sender
    /// of an error.
    private static func closeSocket(_ descriptor: Int32) {
        let socket = open.removeValue(forKey: descriptor)
        if let fault = SocketFault(of: descriptor, target: socket?.target) {
            socket?.request?.faults.append(fault)
        }
        close(descriptor)
    }

    // MARK: End

    func finished(_ code: CURLcode) {
        guard facts == nil else { return }
        var status = 0
        curl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
        facts = HTTPFacts(
            ending: ending(code), status: status == 0 ? nil : status, location: location, body: body)
    }

    /// Ends the request at the deadline, whatever libcurl is doing.
    func timeIsOver() { finished(CURLE_OPERATION_TIMEDOUT) }

    private func ending(_ code: CURLcode) -> HTTPFacts.Ending {
        if isHeaderEndless { return .endlessHeader }
        switch code {
        case CURLE_OK: return .whole
        case CURLE_WRITE_ERROR where hasEnough: return .whole
        case CURLE_OPERATION_TIMEDOUT: return .late
        case CURLE_COULDNT_CONNECT: return .unconnected(connectionFaults)
        case CURLE_PEER_FAILED_VERIFICATION: return isUntimely ? .untimely : .unproven
        case CURLE_RECV_ERROR where isOutOfMemory, CURLE_SEND_ERROR where isOutOfMemory,
            CURLE_SSL_CONNECT_ERROR where isOutOfMemory:
            return .failed(Self.description(code))
        case CURLE_SSL_CONNECT_ERROR: return .tls(Self.description(code))
        case CURLE_GOT_NOTHING: return .broken("it closed the connection without an answer")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE:
            return .broken("the connection broke off")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: return .broken("its answer is not HTTP")
        // libcurl reports a header line that exceeds its limits with one of these codes: the first before
        // 8.6, the second since then.
        case CURLE_OUT_OF_MEMORY where isConnected: return .endlessHeader
        case curle_too_large where isConnected: return .endlessHeader
        default: return .failed(Self.description(code))
        }
    }

    /// The errors of the connection attempts. A reset leaves no entry in the error queue, but libcurl keeps
    /// its errno.
    private var connectionFaults: [SocketFault] {
        let code = socketErrno
        guard faults.isEmpty, code != 0 else { return faults }
        return [code == ECONNREFUSED ? SocketFault(code: code, origin: .target) : .local(code)]
    }

    /// Whether this machine had no memory for a socket call (recv(2), send(2)), which says nothing about the
    /// link.
    private var isOutOfMemory: Bool { [ENOMEM, ENOBUFS].contains(socketErrno) }

    /// The errno of the last socket call that failed, perhaps of an earlier attempt; 0 if none has.
    private var socketErrno: Int32 {
        var code = 0
        curl_get_number(handle, CURLINFO_OS_ERRNO, &code)
        return Int32(truncatingIfNeeded: code)
    }

    private var isConnected: Bool {
        var port = 0
        curl_get_number(handle, CURLINFO_PRIMARY_PORT, &port)
        return port != 0
    }

    /// Whether OpenSSL's verification says that the certificate is not yet valid, or has expired
    /// (X509_verify_cert_error_string(3)).
    private var isUntimely: Bool {
        var result = 0
        curl_get_number(handle, CURLINFO_SSL_VERIFYRESULT, &result)
        return [Verification.notYetValid, Verification.expired].contains(result)
    }

    /// The numbers of the results, from openssl/x509_vfy.h.
    private enum Verification {
        static let notYetValid = 9
        static let expired = 10
    }

    private static func description(_ code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }
}
