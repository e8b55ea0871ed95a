import EntitySync
import Foundation
import ProgramRuns
import Testing

@testable import synccheck

/// Runs programs without an administrator's rights.
private enum Rights {
    /// The program that changes the user.
    static let switcher = "/usr/bin/setpriv"
    /// Whether tests can run without an administrator's rights.
    static let canBeDropped = geteuid() != 0 || FileManager.default.isExecutableFile(atPath: switcher)
}

/// Somebody without permissions is told so, and not that there is nothing. An administrator may do everything, so the
/// tests of one run the program as a user without rights.
@Suite(.enabled(if: Rights.canBeDropped)) final class PermissionTests {
    private let scratch: Scratch
    private var closed: [String] = []

    /// Makes a store and schemas in a folder that may not be entered, a store that may not be read, and a folder that
    /// may not be written.
    init() throws {
        scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#, "--store", "locked/s.sqlite")
        try scratch.must(arguments: "backup", "saved", "--store", "locked/s.sqlite")
        try scratch.write("locked/reading.schema.json", text: SampleSchemas.reading)
        try scratch.write("locked/lines.ndjson", text: #"{"link":"a"}"#)
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#, "--store", "secret.sqlite")
        try scratch.write("hidden/reading.schema.json", text: SampleSchemas.reading)
        try scratch.write("readonly/readme.txt", text: "")
        try set(0o644, on: "saved")
        try close("locked", mode: 0)
        try close("secret.sqlite", mode: 0)
        try close("hidden", mode: 0)
        try close("readonly", mode: 0o555)
    }

    deinit { for path in closed { try? set(0o755, on: path) } }

    private func close(_ path: String, mode: Int) throws {
        try set(mode, on: path)
        closed.append(path)
    }

    private func set(_ mode: Int, on path: String) throws {
        let place = scratch.folder.appendingPathComponent(path).path
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place)
    }

    /// Runs the program as a user who owns nothing here, or as oneself if that is no administrator.
    private func run(_ arguments: [String]) throws -> Run {
        guard geteuid() == 0 else { return try Tool.run(in: scratch.folder, arguments: arguments) }
        let rights = ["--reuid=65534", "--regid=65534", "--clear-groups", "--", Tool.program.path]
        return try Child(
            program: URL(fileURLWithPath: Rights.switcher),
            arguments: rights + arguments,
            in: scratch.folder
        ).wait()
    }

    private func expectRefusal(_ arguments: [String], action: String) throws {
        let run = try run(arguments)
        #expect(run.exitCode == 77, "\(arguments): \(run.error)")
        #expect(
            run.errorLines.suffix(2) == [
                "error: \(action) is not permitted.",
                "help: Check the permissions of the file and its folder.",
            ],
            "\(arguments): \(run.error)"
        )
        #expect(run.output == "")
    }

    @Test(arguments: [
        ["status"], ["get", "reading", "a"], ["export", "reading"], ["put", "reading", #"{"link":"b"}"#],
        ["query", "reading"], ["doctor"], ["inspect"], ["backup", "readonly/b"],
        ["sync", "--remote", "shared"], ["sync", "--remote", "shared", "--dry-run"],
    ])
    func aStoreInAFolderThatMayNotBeEnteredIsNotTakenForMissing(arguments: [String]) throws {
        let store = "locked/s.sqlite"
        try expectRefusal(arguments + ["--store", store], action: "Reading '\(store)'")
    }

    @Test(arguments: [["status"], ["get", "reading", "a"], ["doctor"], ["query", "reading"]])
    func aStoreThatMayNotBeReadIsNotSaidToFailForAnUnknownReason(arguments: [String]) throws {
        try expectRefusal(arguments + ["--store", "secret.sqlite"], action: "Reading 'secret.sqlite'")
    }

    @Test(arguments: [
        ["put", "reading", #"{"link":"b"}"#], ["import", "reading", "/dev/null"],
        ["sync", "--remote", "shared"],
        ["restore", "saved"],
    ])
    func aNewStoreInAReadOnlyFolderIsRefusedByName(arguments: [String]) throws {
        let store = "readonly/n.sqlite"
        try expectRefusal(arguments + ["--store", store], action: "Writing '\(store)'")
        let folder = scratch.folder.appendingPathComponent("readonly/new").path
        try expectRefusal(arguments + ["--store", "readonly/new/s.sqlite"], action: "Writing '\(folder)'")
    }

    @Test(arguments: [
        (["generate", "--output", "readonly"], "readonly"),
        (["generate", "--output", "readonly/g"], "readonly/g"),
        (["diff", "--write-baseline", "readonly/b", "Schemas"], "readonly/b"),
    ])
    func aResultThatMayNotBeWrittenIsNamed(arguments: [String], path: String) throws {
        try expectRefusal(arguments, action: "Writing '\(path)'")
    }

    @Test(arguments: [
        (["status", "--schemas", "hidden"], "hidden"),
        (["validate", "locked/reading.schema.json"], "locked/reading.schema.json"),
        (["diff", "locked/sub", "Schemas"], "locked/sub"),
        (["import", "reading", "locked/lines.ndjson"], "locked/lines.ndjson"),
        (["restore", "locked/s.sqlite"], "locked/s.sqlite"),
    ])
    func whatMayNotBeReachedIsNotTakenForMissing(arguments: [String], path: String) throws {
        try expectRefusal(arguments, action: "Reading '\(path)'")
    }
}

/// The system's reasons, as errors of files name them.
@Suite struct SystemReasonTests {
    @Test(arguments: [
        (CocoaError.Code.fileWriteOutOfSpace, ENOSPC), (.fileWriteVolumeReadOnly, EROFS),
        (.fileWriteNoPermission, EACCES), (.fileReadNoPermission, EACCES), (.fileNoSuchFile, ENOENT),
        (.fileWriteFileExists, EEXIST),
    ])
    func everyErrorOfAFileHasItsNumber(code: CocoaError.Code, number: Int32) {
        #expect(SyncError.posixCode(error: CocoaError(code)) == number)
    }

    @Test func aFullDiskIsNamed() {
        let error = SyncError.cannotWrite(path: "g", error: CocoaError(.fileWriteOutOfSpace))
        #expect(error.kind == .inputOutput)
        #expect(error.message == "'g' could not be written (\(String(cString: strerror(ENOSPC)))).")
    }
}
