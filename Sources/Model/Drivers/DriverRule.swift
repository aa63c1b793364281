/// The driver of a network card and the bus of the card, by the kernel's names. The same driver can behave
/// differently on another bus.
public struct DriverName: Hashable, Sendable {
    /// The name in /sys/bus/BUS/drivers.
    public var driver: String
    /// The name in /sys/bus: `pci`, `usb`, `sdio` and others.
    public var bus: String

    public init(_ driver: String, on bus: String) {
        self.driver = driver
        self.bus = bus
    }
}

/// A rule about a driver on a bus: a section of a driver file.
public struct DriverRule: Hashable, Sendable {
    /// The driver and the bus. A driver's name that ends with `*` covers all names that begin with the text
    /// before it.
    public var name: DriverName
    /// The path of the driver file.
    public var file: String
    /// The line of the section's head; the first line is 1.
    public var line: Int
    /// The symptoms of the driver's fault, as text for people.
    public var fault: String?
    /// The methods that may be tried; nil: every method that is not forbidden.
    public var allowed: Set<Method>?
    public var forbidden: Set<Method> = []
    /// The value for which `PowerSave.auto` stands with this driver: `off` or `leave`; nil: the rule does not
    /// say.
    public var powerSave: PowerSave?
    /// What a user can do about the fault, as text for people.
    public var remedy: String?
    /// The source of this knowledge, such as `owner/repository#number` or a file of the kernel.
    public var source: String?

    public init(_ name: DriverName, file: String, line: Int) {
        self.name = name
        self.file = file
        self.line = line
    }

    /// Whether the method may be tried with this driver.
    public func permits(_ method: Method) -> Bool {
        !forbidden.contains(method) && allowed?.contains(method) != false
    }

    /// The methods that may be tried with this driver.
    public var allowedMethods: [Method] { Method.allCases.filter(permits) }
    public var forbiddenMethods: [Method] { Method.allCases.filter { !permits($0) } }

    /// How many bytes of the driver's name the rule gives, `Int.max` if it gives the whole name; nil: the
    /// rule is about another driver or bus.
    func specificity(for other: DriverName) -> Int? {
        guard name.bus == other.bus else { return nil }
        guard name.driver.utf8.last == UInt8(ascii: "*") else {
            return name.driver == other.driver ? .max : nil
        }
        let start = name.driver.utf8.dropLast()
        return other.driver.utf8.starts(with: start) ? start.count : nil
    }
}
