import Platform

// The steps of the program: read the command line and the configuration, start the command, and run the event
// loop until the command ends the process.
Output.fillClosedStreams()
Output.ignoreBrokenPipes()
ChildProcess.keepStatuses()
Capabilities.keepToOurselves()
InternalError.endWithStatus()
Malloc.useOneArena()
let environment = ProcessEnvironment.variables
let console = Console(environment: environment)
let request = Program.request(from: Array(CommandLine.arguments.dropFirst()), console)
let configuration = Program.configuration(for: request, console)
let wanted = configuration.apply(to: request)
do { try EventLoop.open() } catch { console.failToWait(error) }
let running = Program.start(
    wanted, configuration,
    console.directed(to: wanted.output.log, wanted.output.verbosity, stays: wanted.command == .run),
    environment)
EventLoop.run()
