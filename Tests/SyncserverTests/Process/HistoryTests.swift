#if Server
    import Foundation
    import ProgramRuns
    import Testing

    extension LongProcessTests {
        @Suite struct HistoryTests {
            /// Two synced devices, a backup of the server, and changes after the backup.
            private func restore(_ stage: Stage, token: String, phone: Device, laptop: Device)
                async throws
                -> RunningServer
            {
                var server = try await stage.server()
                for entity in Device.entities {
                    for key in ["edited", "deleted", "quiet"] {
                        try await phone.put(entity, key: key, title: "old")
                    }
                }
                try await phone.sync(server)
                try await laptop.sync(server)
                try await server.stop()
                try stage.copy("data", over: "backup")
                server = try await stage.server()
                for entity in Device.entities {
                    try await phone.put(entity, key: "edited", title: "late")
                    try await phone.put(entity, key: "added", title: "late")
                    try await phone.must(arguments: "delete", entity, "deleted")
                }
                try await phone.sync(server)
                try await laptop.sync(server)
                #expect(try await phone.export() == laptop.export())
                try await server.stop()
                try stage.copy("backup", over: "data")
                return try await stage.server()
            }

            private static let late = Device.entities.flatMap {
                ["\($0)/added=late", "\($0)/edited=late", "\($0)/quiet=old"]
            }

            /// Checks that all devices and the server have these records, and that nothing is pending.
            private func expect(
                _ records: [String],
                devices: [Device],
                server: RunningServer,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                for device in devices + devices {
                    try await device.sync(server, sourceLocation: sourceLocation)
                }
                let fresh = devices[0].stage.device(
                    name: "fresh-\(UUID().uuidString)",
                    token: devices[0].token
                )
                try await fresh.sync(server, sourceLocation: sourceLocation)
                for device in devices + [fresh] {
                    try await device.expect(records, sourceLocation: sourceLocation)
                    #expect(try await device.conflicts() == [], sourceLocation: sourceLocation)
                    let idle = try await device.sync(server)
                    #expect(idle.requests == 1, sourceLocation: sourceLocation)
                    #expect(
                        idle.total(name: "pushed") + idle.total(name: "pulled") == 0,
                        sourceLocation: sourceLocation
                    )
                }
            }

            @Test func aServerRestoredFromABackupIsNoticedAndRejoiningHealsIt() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    let server = try await restore(stage, token: token, phone: phone, laptop: laptop)
                    let before = try await phone.export()
                    for device in [phone, laptop] {
                        #expect(
                            try await device.syncRefused(server, exitCode: 65).contains(
                                "restored from a backup"
                            )
                        )
                        #expect(try await device.export() == before)
                        try await device.sync(server, more: "--rejoin")
                    }
                    try await expect(Self.late, devices: [phone, laptop], server: server)
                }
            }

            @Test func aRestoredServerThatCountedOnIsNoticedToo() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    let server = try await restore(stage, token: token, phone: phone, laptop: laptop)
                    let tablet = stage.device(name: "tablet", token: token)
                    try await tablet.sync(server)
                    var lines = ""
                    for number in 10...49 { lines += #"{"id":"t\#(number)","title":"tablet"}"# + "\n" }
                    try stage.write("many.ndjson", text: lines)
                    try await tablet.must(arguments: "import", "note", "many.ndjson")
                    #expect(try await tablet.sync(server).total(name: "pushed") == 40)
                    for device in [phone, laptop] {
                        #expect(
                            try await device.syncRefused(server, exitCode: 65).contains(
                                "restored from a backup"
                            )
                        )
                        try await device.sync(server, more: "--rejoin")
                    }
                    let records = Self.late + (10...49).map { "note/t\($0)=tablet" }
                    try await expect(records.sorted(), devices: [phone, laptop, tablet], server: server)
                }
            }

            @Test func aDeviceThatTheBackupKnowsGoesOnWithoutAWord() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    var server = try await stage.server()
                    let phone = stage.device(name: "phone", token: token)
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(server)
                    try await server.stop()
                    try stage.copy("data", over: "backup")
                    try stage.copy("backup", over: "data")
                    server = try await stage.server()
                    try await phone.put("note", key: "n1", title: "two")
                    try await expect(["note/n1=two"], devices: [phone], server: server)
                }
            }

            /// The sleeping laptop's edits are kept according to the strategy. Under last-write-wins an edit
            /// that is older than the delete goes to the journal, because the phone still knows its delete.
            @Test func aDeviceThatSleptThroughAPurgeLosesAndResurrectsNothing() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    for entity in Device.entities {
                        for key in ["clean", "early", "late", "rest"] {
                            try await phone.put(entity, key: key, title: "old")
                        }
                    }
                    try await phone.sync(server)
                    try await laptop.sync(server)
                    for entity in Device.entities {
                        try await laptop.put(entity, key: "early", title: "slept")
                        for key in ["clean", "early", "late"] {
                            try await phone.must(arguments: "delete", entity, key)
                        }
                        try await laptop.put(entity, key: "late", title: "slept")
                        try await laptop.put(entity, key: "new", title: "slept")
                    }
                    try await phone.sync(server)
                    let purge = try await stage.run(
                        program: .syncserver,
                        arguments: "purge",
                        "--data",
                        "data",
                        "--older-than-days",
                        "0"
                    )
                    #expect(purge.output == "9 tombstones were removed\n", "\(purge.error)")
                    try await laptop.sync(server)
                    #expect(try await laptop.conflicts() == ["bookmark/early", "bookmark/late"])
                    try await laptop.expect(
                        Device.entities.flatMap {
                            ["\($0)/early=slept", "\($0)/late=slept", "\($0)/new=slept", "\($0)/rest=old"]
                        }
                    )
                    try await phone.sync(server)
                    let others = ["bookmark/new=slept", "bookmark/rest=old"]
                    let rest = [
                        "note/late=slept", "note/new=slept", "note/rest=old", "word/early=slept",
                        "word/late=slept", "word/new=slept", "word/rest=old",
                    ]
                    try await phone.expect(others + rest)
                    // The person at the laptop decides, and the phone, which has no pending edits, takes the
                    // decision.
                    for key in ["early", "late"] {
                        try await laptop.must(arguments: "resolve", "bookmark", key, "--keep", "local")
                    }
                    try await laptop.sync(server)
                    #expect(try await laptop.must(arguments: "journal", "--json").contains(#""key":"early""#))
                    try await phone.sync(server)
                    #expect(try await phone.conflicts() == [])
                    let all = ["bookmark/early=slept", "bookmark/late=slept"] + others + rest
                    try await expect(all, devices: [phone, laptop], server: server)
                }
            }

            @Test func anotherDatabaseAtTheAddressIsRefusedAndNothingIsMixed() async throws {
                try await Stage.run { stage in
                    let (ada, other) = (
                        try await stage.token(name: "ada"), try await stage.token(name: "ada", data: "other")
                    )
                    let (first, second) = (try await stage.server(), try await stage.server(data: "other"))
                    let phone = stage.device(name: "phone", token: ada)
                    try await phone.put("note", key: "n1", title: "hers")
                    try await phone.sync(first)
                    try await phone.put("note", key: "n2", title: "waits")
                    let stranger = stage.device(name: "stranger", token: other)
                    try await stranger.put("note", key: "n1", title: "theirs")
                    try await stranger.sync(second)
                    let before = try await phone.export()
                    var moved = phone
                    moved.token = other
                    #expect(try await moved.syncRefused(second, exitCode: 65).contains("another account"))
                    #expect(try await phone.export() == before)
                    #expect(try await phone.count(name: "pending", entity: "note") == 1)
                    try await stranger.sync(second)
                    #expect(try await stranger.records() == ["note/n1=theirs"])
                    try await phone.sync(first)
                    #expect(try await phone.count(name: "pending", entity: "note") == 0)
                }
            }

            @Test func anotherAccountsTokenIsRefusedAndNothingIsMixed() async throws {
                try await Stage.run { stage in
                    let (ada, bob) = (try await stage.token(name: "ada"), try await stage.token(name: "bob"))
                    let server = try await stage.server()
                    let phone = stage.device(name: "phone", token: ada)
                    try await phone.put("note", key: "n1", title: "hers")
                    try await phone.sync(server)
                    try await phone.put("note", key: "n2", title: "waits")
                    let before = try await phone.export()
                    var wrong = phone
                    wrong.token = bob
                    #expect(try await wrong.syncRefused(server, exitCode: 65).contains("another account"))
                    #expect(try await phone.export() == before)
                    let his = stage.device(name: "his", token: bob)
                    #expect(try await his.sync(server).total(name: "pulled") == 0)
                    #expect(try await phone.sync(server).total(name: "pushed") == 1)
                }
            }
        }
    }
#endif
