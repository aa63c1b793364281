/// Why the program keeps the power saving of a radio off.
public enum PowerSaveOffReason: Hashable, Sendable {
    /// The settings say so for every driver.
    case setting
    /// The settings leave it to the driver files, and this rule says so for this driver.
    case rule(DriverRule, DriverName)
}
