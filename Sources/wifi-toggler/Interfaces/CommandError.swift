/// Why a command ends without a result.
struct CommandError: Error {
    var sentence: String
    var status: ExitStatus
}
