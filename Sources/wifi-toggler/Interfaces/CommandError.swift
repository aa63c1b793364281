/// Why a command ends without a result: a sentence, and the exit status.
struct CommandError: Error {
    var sentence: String
    var status: ExitStatus
}
