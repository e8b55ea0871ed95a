import Foundation
import ProgramRuns
import SyncChecks
import SyncCore
import SyncServer
import Testing

/// What `syncserver doctor` tells of accounts.
@Suite(.ownThreads) struct DoctorTests {
    private let scratch: CommandTests.Scratch
    private let issuer = "https://login.example.org/"

    init() throws { scratch = try CommandTests.Scratch() }

    private func accounts() throws -> ServerAccounts {
        try ServerAccounts(
            directory: scratch.folder.appendingPathComponent("data").path,
            clock: ManualClock(),
            random: SeededRandom(1)
        )
    }

    /// What the doctor prints, with its exit code.
    private func doctor(_ more: String...) async throws -> (output: String, exitCode: Int32) {
        let run = try await scratch.run(arguments: ["doctor", "--data", "data"] + more)
        #expect(run.error.isEmpty, "\(run.error)")
        return (run.output, run.exitCode)
    }

    @Test func accountsWithAnIDOfThisFolderAloneAreCountedWhereADatabaseIsShared() async throws {
        let accounts = try accounts()
        for name in ["ada", "bob"] { _ = try accounts.account(login: name, issuer: issuer, mayAdd: true) }
        _ = try accounts.account(login: "of an earlier version", mayAdd: true)
        _ = try accounts.add(name: "with a token")
        _ = try accounts.add(name: "removed")
        try accounts.remove("removed")
        let alone = try await doctor()
        #expect(alone.exitCode == 0 && alone.output.contains("no other machine"), "\(alone)")
        try DatabaseMark(data: scratch.folder.appendingPathComponent("data").path).set()
        for more in [[], ["--jwt-issuer", issuer]] {
            let found = try await scratch.run(arguments: ["doctor", "--data", "data"] + more)
            #expect(found.exitCode == 1)
            #expect(
                found.output.hasPrefix("warning: The ids of 2 of 4 accounts do not follow"),
                "\(found.output)"
            )
            #expect(found.output.contains("\nhelp: ") && !found.output.contains("earlier version"))
        }
        let other = try await doctor("--jwt-issuer", "https://other.example.org/")
        #expect(other.exitCode == 1 && other.output.contains("The ids of 4 of 4"), "\(other)")
    }

    @Test func accountsThatAreTheSameOnEveryMachineAreAllWell() async throws {
        let accounts = try accounts()
        for name in ["ada", "bob"] { _ = try accounts.account(login: name, issuer: issuer, mayAdd: true) }
        try DatabaseMark(data: scratch.folder.appendingPathComponent("data").path).set()
        for more in [[], ["--jwt-issuer", issuer]] {
            let run = try await scratch.run(arguments: ["doctor", "--data", "data"] + more)
            #expect(run.exitCode == 0 && run.output.hasPrefix("All is well"), "\(run.output)\(run.error)")
        }
    }
}
