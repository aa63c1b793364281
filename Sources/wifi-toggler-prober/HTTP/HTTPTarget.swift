import CCurl
import HelperProtocol
import Model

/// The host of a URL, parsed by libcurl (curl_url(3)). libcurl also sends the request, so that there is no
/// second parser that could understand the URL differently.
struct HTTPTarget: Hashable {
    enum Host: Hashable {
        case name(String)
        case address(IPAddress)
    }

    var isSecure: Bool
    var host: Host
    var port: UInt16

    /// Returns nil if this is not an http or https URL with a valid host, or if it contains a user or
    /// password.
    init?(_ url: String) {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: handle),
            let host = Self.part(CURLUPART_HOST, of: handle),
            let port = Self.part(CURLUPART_PORT, of: handle, flags: UInt32(CURLU_DEFAULT_PORT)).flatMap(
                UInt16.init),
            port > 0, Self.part(CURLUPART_USER, of: handle) == nil,
            Self.part(CURLUPART_PASSWORD, of: handle) == nil
        else { return nil }
        switch scheme {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        self.port = port
        let literal = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        if let address = IPAddress(literal) {
            self.host = .address(address)
        } else if HostName.isValid(host) {
            self.host = .name(host)
        } else {
            return nil
        }
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// The host and port as text for people.
    var text: String {
        switch host {
        case .name(let name): "\(name):\(port)"
        case .address(.v4(let bits)): "\(IPAddress.v4(bits)):\(port)"
        case .address(let address): "[\(address)]:\(port)"
        }
    }
}
