import CCurl

/// A transfer of libcurl (CURL, libcurl-easy(3)).
typealias CurlHandle = UnsafeMutableRawPointer
/// All of its transfers (CURLM, libcurl-multi(3)).
typealias CurlMulti = UnsafeMutableRawPointer

/// Where libcurl looks for the certificates of authorities: a file, a directory, or both.
var curlAuthorities: [String] {
    [curl_authorities_file(), curl_authorities_directory()].compactMap { $0.map { String(cString: $0) } }
}
