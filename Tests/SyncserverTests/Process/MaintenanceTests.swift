#if Server
    import Foundation
    import ProgramRuns
    import Testing

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    extension LongProcessTests {
        /// Backups, restores and accounts that leave, also when the program is killed.
        @Suite struct MaintenanceTests {
            @Test func devicesLoseNothingByARestoreOfABackupMadeWhileTheServerRan() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    var server = try await stage.server()
                    try await phone.put("note", key: "a", title: "before")
                    try await phone.sync(server)
                    try await laptop.sync(server)
                    #expect(try await command(stage, "backup", "saved", "--data", "data").exitCode == 0)
                    #expect(try await command(stage, "backup", "saved", "--data", "data").exitCode == 64)
                    try await phone.put("note", key: "b", title: "after")
                    try await phone.sync(server)
                    let restore = ["restore", "saved", "--data", "data", "--replace"]
                    #expect(try await command(stage, restore).exitCode == 74, "the server runs")
                    try await server.stop()
                    #expect(try await command(stage, Array(restore.dropLast())).exitCode == 64)
                    let restored = try await command(stage, restore)
                    #expect(restored.exitCode == 0, "\(restored.error)")
                    server = try await stage.server()
                    try await laptop.put("note", key: "c", title: "later")
                    _ = try await laptop.syncRefused(server, exitCode: 65)
                    for device in [laptop, phone] { try await device.sync(server, more: "--rejoin") }
                    try await laptop.sync(server)
                    for device in [phone, laptop] {
                        let notes = try await device.must(arguments: "export", "note")
                        #expect(["before", "after", "later"].allSatisfy(notes.contains), "\(notes)")
                    }
                }
            }

            @Test func aBackupKilledAtAnyMomentIsWholeOrRefusedAndARestoreCanBeRunAgain() async throws {
                try await Stage.run { stage in
                    let token = try await filled(stage)
                    #expect(try await command(stage, "backup", "saved", "--data", "data").exitCode == 0)
                    var refused = 0
                    for step in 0..<10 {
                        try await kill(stage, after: step, ["backup", "other\(step)", "--data", "data"])
                        let check = ["restore", "other\(step)", "--data", "checked\(step)"]
                        let run = try await command(stage, check)
                        #expect(run.exitCode == (stage.exists(path: "other\(step)") ? 0 : 65), "\(run.error)")
                        if run.exitCode == 65 { refused += 1 }
                        let partial = try await command(
                            stage,
                            "restore",
                            "other\(step).partial",
                            "--data",
                            "unmade"
                        )
                        #expect(partial.exitCode != 0)
                        let restore = ["restore", "saved", "--data", "data", "--replace"]
                        try await kill(stage, after: step, restore)
                        if step.isMultiple(of: 2) {
                            let again = try await command(stage, restore)
                            #expect(again.exitCode == 0, "\(again.error)")
                        }
                        // Either the server serves everything, or it says that the restore is to be run again.
                        let list = try await command(stage, "account", "list", "--data", "data")
                        if list.exitCode != 0 {
                            #expect(list.error.contains("A restore of this data folder was interrupted."))
                            #expect(try await command(stage, restore).exitCode == 0)
                        }
                        try await expectNotes(stage, token: token, data: "data")
                    }
                    #expect(refused > 0, "no backup was killed")
                }
            }

            @Test func aBackupWithOtherBytesIsRefusedAndNothingIsMoved() async throws {
                try await Stage.run { stage in
                    let server = try await stage.server()
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                    try await phone.put("note", key: "a", title: "as it was")
                    try await phone.sync(server)
                    try await server.stop()
                    #expect(try await command(stage, "backup", "saved", "--data", "data").exitCode == 0)
                    let logs = try FileManager.default.contentsOfDirectory(
                        atPath: stage.folder.path + "/saved/logs"
                    )
                    let log = stage.url(path: "saved/logs/" + (try #require(logs.first)))
                    let whole = try Data(contentsOf: log)
                    var changed = whole
                    let place = try #require(changed.range(of: Data("was".utf8)))
                    changed.replaceSubrange(place, with: Data("not".utf8))
                    try changed.write(to: log)
                    let restore = ["restore", "saved", "--data", "data", "--replace"]
                    let run = try await command(stage, restore)
                    #expect(run.exitCode == 65 && run.output.isEmpty, "\(run.error)")
                    #expect(
                        !stage.exists(path: "data/before-restore") && !stage.exists(path: "data/restoring")
                    )
                    let other = ["restore", "saved", "--data", "other"]
                    #expect(try await command(stage, other).exitCode == 65)
                    #expect(!stage.exists(path: "other/accounts.sqlite"))
                    // A backup of an older version has no digests.
                    let manifest = stage.url(path: "saved/backup.json")
                    var members = try #require(
                        JSONSerialization.jsonObject(with: Data(contentsOf: manifest)) as? [String: Any]
                    )
                    members["sha256"] = nil
                    try whole.write(to: log)
                    try JSONSerialization.data(withJSONObject: members).write(to: manifest)
                    #expect(try await command(stage, restore).exitCode == 0)
                }
            }

            @Test func anErasedAccountLeavesNothingAndItsDevicesKeepTheirData() async throws {
                try await Stage.run { stage in
                    let eve = try await stage.token(name: "eve")
                    let token = try await filled(stage)
                    #expect(try await command(stage, "backup", "saved", "--data", "data").exitCode == 0)
                    let erase = ["account", "erase", "ada", "--data", "data", "--confirm", "ada"]
                    #expect(try await command(stage, Array(erase.dropLast(2))).exitCode == 64)
                    var server = try await stage.server()
                    #expect(try await command(stage, erase).exitCode == 74, "the server runs")
                    try await server.stop()
                    for step in 0..<6 { try await kill(stage, after: step, erase) }
                    let last = try await command(stage, erase)
                    #expect([0, 1].contains(last.exitCode), "\(last.error)")
                    // The restore of an older backup does not bring the account back.
                    let restore = ["restore", "saved", "--data", "data", "--replace"]
                    #expect(try await command(stage, restore).exitCode == 0)
                    let list = try await command(stage, "account", "list", "--data", "data")
                    #expect(list.lines.count == 1 && list.output.hasSuffix("\teve\n"), "\(list.output)")
                    for path in try #require(
                        FileManager.default.enumerator(atPath: stage.folder.path + "/data")
                    ) {
                        let bytes = FileManager.default.contents(atPath: "\(stage.folder.path)/data/\(path)")
                        #expect(bytes?.range(of: Data("secret".utf8)) == nil, "\(path)")
                    }
                    server = try await stage.server()
                    let phone = stage.device(name: "phone", token: token)
                    _ = try await phone.syncRefused(server, exitCode: 77)
                    #expect(try await phone.must(arguments: "export", "note").contains("secret 1999"))
                    try await stage.device(name: "eve", token: eve).sync(server)
                }
            }

            @Test func dataThatRestoresPutAsideStayUntilSomebodyRemovesThemOrTheirAccountIsErased()
                async throws
            {
                try await Stage.run { stage in
                    _ = try await filled(stage)
                    #expect(try await command(stage, "backup", "saved", "--data", "data").exitCode == 0)
                    let restore = ["restore", "saved", "--data", "data", "--replace"]
                    for _ in 0..<3 { #expect(try await command(stage, restore).exitCode == 0) }
                    for folder in ["before-restore-1", "before-restore-2", "before-restore"] {
                        #expect(try found(secret: "secret", in: "data/\(folder)", stage: stage), "\(folder)")
                    }
                    let erase = ["account", "erase", "ada", "--data", "data", "--confirm", "ada"]
                    #expect(try await command(stage, erase).exitCode == 0)
                    #expect(try !found(secret: "secret", in: "data", stage: stage))
                }
            }

            /// Whether a file in a folder holds a text.
            private func found(secret: String, in folder: String, stage: Stage) throws -> Bool {
                let path = "\(stage.folder.path)/\(folder)"
                let names = try #require(FileManager.default.enumerator(atPath: path))
                return names.contains {
                    let bytes = FileManager.default.contents(atPath: "\(path)/\($0)")
                    return bytes?.range(of: Data(secret.utf8)) != nil
                }
            }

            @Test func aMovedAccountGoesOnAtTheOtherServerAfterAnyKill() async throws {
                try await Stage.run { stage in
                    let token = try await filled(stage)
                    let move = ["account", "move", "ada", "--data", "data", "--to", "there"]
                    for step in 0..<6 { try await kill(stage, after: step, move) }
                    let last = try await command(stage, move)
                    #expect([0, 1].contains(last.exitCode), "\(last.error)")
                    try await expectNotes(stage, token: token, data: "there")
                    let here = try await stage.server()
                    _ = try await stage.device(name: "phone", token: token).syncRefused(here, exitCode: 77)
                    let there = try await stage.server(data: "there")
                    let phone = stage.device(name: "phone", token: token)
                    #expect(try await phone.must(arguments: "export", "note").contains("secret 7"))
                    try await there.stop()
                    try await here.stop()
                    let back = ["account", "move", "ada", "--data", "there", "--to", "data"]
                    #expect(try await command(stage, back).exitCode == 0)
                    try await expectNotes(stage, token: token, data: "data")
                }
            }

            @Test func aMoveThatIsRunAgainSaysThatTheAccountWasMoved() async throws {
                try await Stage.run { stage in
                    _ = try await stage.token(name: "ada")
                    let move = ["account", "move", "ada", "--data", "data", "--to", "there"]
                    #expect(try await command(stage, move).output == "moved\n")
                    let again = try await command(stage, move)
                    #expect(again.exitCode == 0 && again.output == "It was moved already\n", "\(again.error)")
                    // Another account of that name there is not the one that left.
                    let other = ["account", "move", "ada", "--data", "data", "--to", "third"]
                    _ = try await stage.token(name: "ada", data: "third")
                    #expect(try await command(stage, other).exitCode == 1)
                }
            }

            @Test func anExportHasEveryRecordOfAnAccountAndNobodyElses() async throws {
                try await Stage.run { stage in
                    let eve = try await stage.token(name: "eve")
                    _ = try await filled(stage)
                    let server = try await stage.server()
                    let other = stage.device(name: "eve", token: eve)
                    try await other.put("note", key: "e", title: "of eve")
                    try await other.sync(server)
                    let run = try await command(stage, "account", "export", "ada", "hers", "--data", "data")
                    #expect(run.exitCode == 0 && run.output == "2000 records were written\n", "\(run.error)")
                    let text = try String(contentsOf: stage.url(path: "hers/note.ndjson"), encoding: .utf8)
                    #expect(text.split(separator: "\n").count == 2000 && !text.contains("of eve"))
                    for line in text.split(separator: "\n") {
                        let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                        #expect(record?["entity"] as? String == "note")
                    }
                    let about = try Data(contentsOf: stage.url(path: "hers/account.json"))
                    let account = try JSONSerialization.jsonObject(with: about) as? [String: Any]
                    #expect(account?["name"] as? String == "ada")
                    #expect(account?["records"] as? [String: Int] == ["note": 2000])
                }
            }

            @Test func anExportWithSchemasHasTheLinesOfSynccheckExport() async throws {
                try await Stage.run { stage in
                    let token = try await filled(stage)
                    let phone = stage.device(name: "phone", token: token)
                    let server = try await stage.server()
                    try await phone.must(arguments: "delete", "note", "n7")
                    try await phone.sync(server)
                    let export = ["account", "export", "ada", "--data", "data"]
                    let plain = try await command(stage, export + ["plain", "--schemas", "Schemas"])
                    #expect(plain.output == "1999 records were written\n", "\(plain.error)")
                    func text(_ folder: String) throws -> String {
                        try String(contentsOf: stage.url(path: folder + "/note.ndjson"), encoding: .utf8)
                    }
                    #expect(try await text("plain") == phone.must(arguments: "export", "note"))
                    let all = try await command(
                        stage,
                        export + ["all", "--schemas", "Schemas", "--include-deleted"]
                    )
                    #expect(all.exitCode == 0)
                    #expect(
                        try await text("all") == phone.must(arguments: "export", "note", "--include-deleted")
                    )
                    #expect(try await command(stage, export + ["other", "--include-deleted"]).exitCode == 64)
                    try FileManager.default.createDirectory(
                        at: stage.url(path: "Few"),
                        withIntermediateDirectories: true
                    )
                    try FileManager.default.copyItem(
                        at: stage.url(path: "Schemas/bookmark.schema.json"),
                        to: stage.url(path: "Few/bookmark.schema.json")
                    )
                    let few = try await command(stage, export + ["few", "--schemas", "Few"])
                    #expect(few.exitCode == 65 && !stage.exists(path: "few"), "\(few.error)")
                }
            }

            /// An account 'ada' with 2,000 notes that its phone has sent.
            private func filled(_ stage: Stage) async throws -> String {
                let token = try await stage.token(name: "ada")
                let server = try await stage.server()
                let phone = stage.device(name: "phone", token: token)
                let lines = (0..<2000).map { #"{"id":"n\#($0)","title":"secret \#($0)"}"# + "\n" }.joined()
                try stage.write("notes.ndjson", text: lines)
                try await phone.must(arguments: "import", "note", "notes.ndjson")
                try await phone.sync(server)
                try await server.stop()
                return token
            }

            /// Expects that a server on a data folder has all notes of the account.
            private func expectNotes(_ stage: Stage, token: String, data: String) async throws {
                let server = try await stage.server(data: data)
                let count = try await onOwnThread { [port = server.port] in
                    try Wire.notes(port: port, token: token).count
                }
                #expect(count == 2000)
                try await server.stop()
            }

            private func command(_ stage: Stage, _ arguments: String...) async throws -> Run {
                try await command(stage, arguments)
            }

            private func command(_ stage: Stage, _ arguments: [String]) async throws -> Run {
                try await stage.start(program: .syncserver, arguments: arguments).end()
            }

            /// Starts a command and kills it, in each step later.
            private func kill(_ stage: Stage, after step: Int, _ arguments: [String]) async throws {
                let child = try stage.start(program: .syncserver, arguments: arguments)
                usleep(UInt32(step) * 25_000)
                child.signal(SIGKILL)
                _ = try await child.end()
            }
        }
    }
#endif
