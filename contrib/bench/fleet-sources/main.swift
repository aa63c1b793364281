import Dispatch
import Glibc

@testable import Model
@testable import Toggling

// Simulates a fleet of boxes on one virtual clock, all with the same outage (see contrib/bench/fleet).
// usage: fleet BOXES FILE.svg

/// The number of boxes that a thread takes at a time.
let share = 500
let troubles: [(trouble: Trouble, title: String)] = [
    (.accessPointDead, "access point out of order for an hour"),
    (.providerDead, "provider out of order for an hour"),
]

func fail(_ words: String) -> Never {
    write(STDERR_FILENO, words + "\n", words.utf8.count + 1)
    exit(64)
}

/// The load of one fleet. Each box is simulated on its own, on any thread.
func load(of boxes: Int, _ resort: Resort, under trouble: Trouble) -> Load {
    nonisolated(unsafe) var sum = Load()
    let mine = DispatchQueue(label: "sum")
    DispatchQueue.concurrentPerform(iterations: (boxes + share - 1) / share) { part in
        var load = Load()
        for number in (part * share)..<min(boxes, (part + 1) * share) {
            load.add(resort.story(of: UInt64(number) + 1, under: trouble))
        }
        mine.sync { sum += load }
    }
    return sum
}

let table = MarkdownTable(columns: [
    "outage", "watchdog", "bounces per box", "most", "associations per second: outage", "after it",
    "all healthy after",
])

func cells(_ title: String, _ resort: Resort, _ load: Load) -> [String] {
    let tenths = (load.bouncesEach * 10).rounded() / 10
    let well = load.allWellAt.map { "\(Int($0.rounded(.up))) s" } ?? "never"
    let during = load.busiest(-Int(Box.outage.inSeconds)..<0)
    let after = load.busiest(0..<Int(Box.outage.inSeconds))
    return [title, resort.name, "\(tenths)", "\(load.mostBounces)", "\(during)", "\(after)", well]
}

guard CommandLine.arguments.count == 3, let boxes = Int(CommandLine.arguments[1]), boxes > 0 else {
    fail("usage: fleet BOXES FILE.svg")
}
var plot = Plot(of: boxes)
for line in table.header { print(line) }
for (trouble, title) in troubles {
    var lines: [Plot.Line] = []
    for resort in Resort.allCases {
        let load = load(of: boxes, resort, under: trouble)
        print(table.row(cells(title, resort, load)))
        fflush(nil)
        lines.append(Plot.Line(name: resort.name, load: load))
    }
    plot.add(title, lines)
}
let path = CommandLine.arguments[2]
guard let file = fopen(path, "we") else { fail("\(path): \(String(cString: strerror(errno)))") }
let isWritten = fputs(plot.svg, file) >= 0
guard fclose(file) == 0, isWritten else { fail("\(path): \(String(cString: strerror(errno)))") }
