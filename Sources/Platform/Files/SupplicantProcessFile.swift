/// The file in which the wpa_supplicant of one interface keeps its process ID, if ifupdown has started it
/// (`wpa-conf`, `wpa-ssid` in interfaces(5); the functions.sh of Debian's package wpasupplicant). The file
/// stays if wpa_supplicant is killed.
public enum SupplicantProcessFile {
    /// The process that the file names; nil if there is no such file, or if it contains no process ID.
    /// - Parameter root: the root of the file system, without a slash at its end.
    public static func process(for interface: String, root: String = "") -> Int32? {
        guard SysfsClass.isComponent(interface) else { return nil }
        let number = SmallFile.line("\(root)/run/wpa_supplicant.\(interface).pid").flatMap { Int32($0) }
        return number.flatMap { $0 > 1 ? $0 : nil }
    }
}
