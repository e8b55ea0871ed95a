import ProgramRuns
import Testing

/// Stores of any name, and paths that are no store.
@Suite struct StorePathTests {
    @Test(arguments: ["q", "é", "./q", "some/store"])
    func aStoreMayHaveAnyName(store: String) throws {
        let device = ScratchDevice(scratch: try Scratch(), store: store)
        try device.must(arguments: "put", "reading", #"{"link":"Words"}"#)
        for command in ["status", "journal", "conflicts"] { try device.must(arguments: command) }
        #expect(try device.must(arguments: "export", "reading").contains("Words"))
    }

    @Test(arguments: [".", "/", "Schemas"])
    func aFolderIsNoStore(path: String) throws {
        let device = ScratchDevice(scratch: try Scratch(), store: path)
        for command in ["journal", "status"] {
            let run = try device.run(arguments: command)
            #expect([65, 66, 74].contains(run.exitCode), "\(run.exitCode): \(run.error)")
            #expect(run.error.contains("folder"), "\(run.error)")
        }
    }
}
