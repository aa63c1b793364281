/// A transfer of libcurl (CURL, libcurl-easy(3)).
typealias CurlHandle = UnsafeMutableRawPointer
/// All of its transfers (CURLM, libcurl-multi(3)).
typealias CurlMulti = UnsafeMutableRawPointer
