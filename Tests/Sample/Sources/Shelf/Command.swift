import EntitySync
import Foundation

@main struct Command {
    static let usage = """
        shelf [--home DIR] [--remote DIR|URL] add SURAH VERSE [NOTES] | delete SURAH VERSE | list [TOPIC]
            | file SURAH VERSE TOPIC | topics | forget TOPIC | search WORDS | states | watch | sync
            | backup FILE | restore FILE DIR
            | login NAME | logout [--keep|--discard] | who | conflicts | resolve NUMBER mine|theirs
        """

    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            let error = SyncError(shown: error)
            FileHandle.standardError.write(Data("error: \(error.message)\nhelp: \(error.help)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) async throws {
        var words = arguments
        func option(_ name: String, default value: String) -> String {
            guard let place = words.firstIndex(of: name), place + 1 < words.count else { return value }
            defer { words.removeSubrange(place...place + 1) }
            return words[place + 1]
        }
        let home = option("--home", default: ".shelf")
        let shelf = try await Shelf(home: home, remote: option("--remote", default: ".shelf-remote"))
        let (accounts, bookmarks) = (shelf.accounts, shelf.bookmarks)
        let numbers = words.dropFirst().prefix(2).compactMap { Int($0) }
        switch (words.first, words.count, numbers.count) {
        case ("add", 3...4, 2): try shelf.add(numbers[0], numbers[1], notes: words.dropFirst(3).first)
        case ("delete", 3, 2): try shelf.delete(numbers[0], numbers[1])
        case ("list", 1, _): say(text(try await bookmarks.query(Shelf.inOrder)))
        case ("list", 2, _): say(text(try await bookmarks.query(Shelf.under(words[1]))))
        case ("file", 4, 2): try shelf.file(numbers[0], numbers[1], under: words[3])
        case ("topics", 1, _): for line in try shelf.topicLines() { say(line) }
        case ("forget", 2, _): try shelf.deleteTopic(words[1])
        case ("search", 2, _): for line in try shelf.found(words[1]) { say(line) }
        case ("states", 1, _): for line in try shelf.stateLines() { say(line) }
        case ("backup", 2, _): try accounts.space.backup(to: words[1])
        case ("restore", 3, _): say(text(try await shelf.restored(from: words[1], in: words[2])))
        case ("watch", 1, _): try await shelf.watch()
        case ("sync", 1, _):
            try await accounts.space.sync()
            say(text(try accounts.space.status()))
        case ("login", 2, _) where words[1].allSatisfy(\.isLetter):
            let adopted = try await accounts.signIn(AccountID(words[1]))?.total ?? 0
            say("\(words[1]) is logged in, and took \(adopted) of the guest's bookmarks along")
        case ("logout", 1, _): try await accounts.signOut(.requireSynced)
        case ("logout", 2, _) where words[1] == "--keep": try await accounts.signOut(.keep)
        case ("logout", 2, _) where words[1] == "--discard": try await accounts.signOut(.discard)
        case ("who", 1, _): say(accounts.account.name)
        case ("conflicts", 1, _):
            for (number, conflict) in zip(1..., try await bookmarks.conflicts()) {
                say("\(number). mine: \(text(conflict.local)); theirs: \(text(conflict.remote))")
            }
        case ("resolve", 3, 1) where words[2] == "mine": try shelf.resolve(numbers[0], .local)
        case ("resolve", 3, 1) where words[2] == "theirs": try shelf.resolve(numbers[0], .remote)
        default: throw SyncError(kind: .usage, message: "That is no command of shelf.", help: usage)
        }
    }
}

func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

func text(_ list: [Bookmark]) -> String {
    list.isEmpty ? "no bookmarks" : list.map { text($0) }.joined(separator: "\n")
}

func text(_ mark: Bookmark?) -> String {
    mark.map { "\($0.surah):\($0.verse)" + ($0.notes.map { " \($0)" } ?? "") } ?? "deleted"
}

func text(_ status: SyncStatus) -> String {
    if status.isInSync { return "-- in sync" }
    let retry = status.outside.nextRetry == nil ? "" : ", trying again soon"
    return "-- \(status.pending) to send, \(status.conflicted) to settle, \(status.rejected) refused\(retry)"
}
