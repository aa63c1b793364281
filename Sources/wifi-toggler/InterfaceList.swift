import Glibc
import Netlink
import Platform
import Service
import Toggling

/// `list`: the Wi-Fi interfaces and their state.
final class InterfaceList {
    private let console: Console
    private let asJSON: Bool
    private let world: World

    init(_ console: Console, asJSON: Bool) {
        self.console = console
        self.asJSON = asJSON
        world = World.open(console)
    }

    /// Prints the list and ends the process.
    func start() {
        InterfaceSearch(netlink: world.netlink).all { [unowned self] result in
            switch result {
            case .failure(let problem): console.fail(problem.sentence, problem.status)
            case .success(let candidates):
                let wireless = candidates.filter { $0.wireless != nil }.sorted { $0.link.name < $1.link.name }
                survey(wireless[...], [])
            }
        }
    }

    /// One after the other; an interface that vanished meanwhile is left out.
    private func survey(_ rest: ArraySlice<Candidate>, _ surveys: [Survey]) {
        guard let next = rest.first else { return show(surveys) }
        world.survey(next.link.index) { [unowned self] result in
            survey(rest.dropFirst(), surveys + ((try? result.get()).map { [$0] } ?? []))
        }
    }

    private func show(_ surveys: [Survey]) {
        if asJSON {
            for entry in entries(surveys) { console.result(Listing.json(entry)) }
        } else if surveys.isEmpty {
            console.say(Line(.notice, "no Wi-Fi interface found"))
        } else {
            for line in Listing.table(entries(surveys)) { console.result(line) }
        }
        exit(ExitStatus.healthy.rawValue)
    }

    private func entries(_ surveys: [Survey]) -> [Listing.Entry] {
        let owners = OwnerKeeper()
        return surveys.map { Listing.Entry($0, owners.ownership(of: $0.link, isWireless: true)) }
    }
}
