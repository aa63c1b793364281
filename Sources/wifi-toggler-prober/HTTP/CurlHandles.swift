import CCurl

/// A transfer of libcurl (CURL, libcurl-easy(3)).
typealias CurlHandle = UnsafeMutableRawPointer
/// A group of transfers of libcurl (CURLM, libcurl-multi(3)).
typealias CurlMulti = UnsafeMutableRawPointer

/// The paths where libcurl finds the certificates of authorities: a file, a directory, or both.
var curlAuthorities: [String] {
    [curl_authorities_file(), curl_authorities_directory()].compactMap { $0.map { String(cString: $0) } }
}
