/// Why a command ends without a result: a sentence, and the exit status.
struct CommandError: Error {
    var description: String
    var status: ExitStatus
}
