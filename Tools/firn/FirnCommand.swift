import ArgumentParser

@main
struct FirnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "firn")
}
