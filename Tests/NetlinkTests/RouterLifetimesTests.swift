import Model
import Testing

@testable import Netlink

@Suite("Which routers are sent a router solicitation")
struct RouterLifetimesTests {
    private static let router = IPAddress("fe80::1")!
    private var lifetimes = RouterLifetimes()

    private mutating func isAsked(_ seconds: Int, _ address: IPAddress = router) -> Bool {
        !lifetimes.ending([AdvertisedRouter(address: address, remaining: .seconds(seconds))]).isEmpty
    }

    @Test("a router that renews its route in time gets no solicitation")
    mutating func renewed() {
        for seconds in [1800, 1740, 1260, 1800, 1200, 601, 1800] { #expect(!isAsked(seconds)) }
    }

    @Test("a router gets a solicitation when a third of its route's lifetime is left, then a third of that")
    mutating func ending() {
        #expect(!isAsked(1800) && !isAsked(660))
        #expect(isAsked(600))
        for seconds in [540, 300, 240] { #expect(!isAsked(seconds)) }
        #expect(isAsked(180) && !isAsked(120) && isAsked(60) && !isAsked(21) && isAsked(20))
    }

    @Test("a new advertisement, or a route that was gone, starts the lifetime anew")
    mutating func anew() {
        #expect(!isAsked(1800) && isAsked(600) && !isAsked(1800) && !isAsked(700))
        #expect(lifetimes.ending([]).isEmpty)
        #expect(!isAsked(500))
    }

    @Test("each router is judged by the lifetime of its own route")
    mutating func several() {
        let two = IPAddress("fe80::2")!
        let routers = [(Self.router, 1800), (two, 90)].map {
            AdvertisedRouter(address: $0.0, remaining: .seconds($0.1))
        }
        #expect(lifetimes.ending(routers).isEmpty)
        let later = [(Self.router, 1740), (two, 30)].map {
            AdvertisedRouter(address: $0.0, remaining: .seconds($0.1))
        }
        #expect(lifetimes.ending(later).map(\.address) == [two])
    }

    @Test("at most sixteen of many routers get a solicitation")
    mutating func flood() {
        let flood = { (seconds: Int) in
            (1...100).map {
                AdvertisedRouter(address: IPAddress("fe80::\($0)")!, remaining: .seconds(seconds))
            }
        }
        #expect(lifetimes.ending(flood(900)).isEmpty)
        #expect(lifetimes.ending(flood(300)).count == 16)
    }
}
