/// What holds bounces back, kept from one run to the next.
extension Toggler {
    /// Whether it outlives this run. The plain timer heeds none of it, and would write at each beat.
    private var keepsLimiter: Bool {
        switch runMode {
        case .probe: false
        case .watch: !settings.isForced
        case .toggle, .reconnect: true
        }
    }

    /// The health has taken a verdict into account.
    mutating func noteLimiter(_ kernelState: KernelState?, _ effects: inout EffectBuffer) {
        let (isHealthy, settings, now) = (health.condition == .healthy, settings, effects.now)
        limit(&effects) { limiter in
            limiter.note(isHealthy: isHealthy, at: now)
            if let kernelState { limiter.note(Network(kernelState), settings: settings) }
        }
    }

    /// Changes it, and has it kept where something has changed that matters to the next run.
    mutating func limit(_ effects: inout EffectBuffer, _ change: (inout BounceLimiter) -> Void) {
        let before = limiter.memory
        change(&limiter)
        guard keepsLimiter, limiter.memory != before else { return }
        effects.emit(.rememberBounces(limiter.memory))
    }
}
