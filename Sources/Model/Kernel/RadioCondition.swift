/// Why the radio of a station cannot connect, although neither a user nor rfkill keeps it off.
public enum RadioCondition: Codable, Hashable, Sendable {
    /// The driver has refused several scans in a row with this error.
    case refusesScans(ScanRefusal)
    /// The driver has recorded a crash of its device (/sys/class/devcoredump) since the link was last without
    /// a fault.
    case crashed
    /// The kernel itself, not a program, has set the link down, and not because of an rfkill block. It does so
    /// if the driver cannot restart its device, or cannot resume it after a suspend.
    case closed
    /// The device has lost its interface: it has neither an interface nor a radio of nl80211 (wiphy), although nobody
    /// unplugged it or removed its driver.
    case lostInterface(LossOfInterface)

    /// Whether the device has lost its interface.
    package var isLoss: Bool { if case .lostInterface = self { true } else { false } }
}

extension KernelState {
    /// The verdict about an interface that its device has lost. `self` is the last state of the interface.
    package var lossVerdict: Verdict {
        Verdict(.sick, layer: .radio, reason: .interfaceLost, evidence: conditions)
    }
}

/// What became of a device that has lost its interface.
public enum LossOfInterface: String, Codable, Hashable, Sendable, CaseIterable {
    /// The driver is still bound to the device.
    case bound
    /// No driver is bound to the device, although its driver is loaded: the driver has released the device,
    /// or has failed to start it.
    case unbound
    /// The device is gone from its bus, although it was probably not unplugged: a PCI function whose bus is
    /// still there, or an SDIO card that cannot be unplugged. Its driver may have removed it.
    case removed
}

/// The errors with which a driver refuses a scan if its device does not work. The raw value is the name of the
/// error (errno(3)).
public enum ScanRefusal: String, Codable, Hashable, Sendable, CaseIterable {
    case inputOutput = "EIO"
    case noDevice = "ENODEV"
    /// Also the error if the device already scans for another program.
    case busy = "EBUSY"
    /// With brcmfmac, the firmware has refused the scan; the driver replaces each error of its firmware by this
    /// one.
    case badExchange = "EBADE"
    /// With USB, the error of a transfer to which the device does not respond.
    case protocolError = "EPROTO"
    case timedOut = "ETIMEDOUT"
    case communication = "ECOMM"
    case remote = "EREMOTEIO"
    /// With ath10k, ath11k and ath12k, the firmware has crashed; with ENOBUFS and EAGAIN, it does not take
    /// commands any more.
    case shutDown = "ESHUTDOWN"
    case noBuffers = "ENOBUFS"
    /// Also the error of brcmfmac if the device already scans or connects.
    case tryAgain = "EAGAIN"
    /// With mwifiex, a command had no answer.
    case fault = "EFAULT"

    /// Whether the device may only be busy for a while.
    package var mayBeBusy: Bool { self == .busy || self == .tryAgain }
}
