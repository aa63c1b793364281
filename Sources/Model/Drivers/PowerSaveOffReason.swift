/// Why the program keeps the power saving of a radio off.
public enum PowerSaveOffReason: Hashable, Sendable {
    /// The settings demand it for every driver.
    case setting
    /// The settings leave the decision to the driver files, and this rule demands it for this driver.
    case rule(DriverRule, DriverName)
}
