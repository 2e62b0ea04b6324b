/// What ends the tool early: a line for a person, and a status for a script.
struct Failure: Error {
    enum Status: Int32 {
        case damage = 1
        case unusable = 2
    }

    var message: String
    var status: Status

    init(_ message: String, status: Status = .unusable) {
        self.message = message
        self.status = status
    }
}
