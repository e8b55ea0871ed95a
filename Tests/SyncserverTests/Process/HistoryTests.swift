#if Server
    import Foundation
    import ProgramRuns
    import Testing

    extension ProcessTests {
        @Suite struct HistoryTests {
            /// Two synced devices, a backup of the server, and then a life that the backup does not know.
            private func restore(_ stage: Stage, _ token: String, _ phone: Device, _ laptop: Device)
                async throws
                -> RunningServer
            {
                var server = try await stage.server()
                for entity in Device.entities {
                    for key in ["edited", "deleted", "quiet"] { try await phone.put(entity, key, "old") }
                }
                try await phone.sync(server)
                try await laptop.sync(server)
                try await server.stop()
                try stage.copy("data", over: "backup")
                server = try await stage.server()
                for entity in Device.entities {
                    try await phone.put(entity, "edited", "late")
                    try await phone.put(entity, "added", "late")
                    try await phone.must("delete", entity, "deleted")
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

            /// All devices and the server hold these, and have nothing more to say.
            private func expect(
                _ records: [String],
                _ devices: [Device],
                _ server: RunningServer,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                for device in devices + devices {
                    try await device.sync(server, sourceLocation: sourceLocation)
                }
                let fresh = devices[0].stage.device("fresh-\(UUID().uuidString)", devices[0].token)
                try await fresh.sync(server, sourceLocation: sourceLocation)
                for device in devices + [fresh] {
                    try await device.expect(records, sourceLocation: sourceLocation)
                    #expect(try await device.conflicts() == [], sourceLocation: sourceLocation)
                    let idle = try await device.sync(server)
                    #expect(idle.requests == 1, sourceLocation: sourceLocation)
                    #expect(idle.total("pushed") + idle.total("pulled") == 0, sourceLocation: sourceLocation)
                }
            }

            @Test func aServerRestoredFromABackupIsNoticedAndRejoiningHealsIt() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token("ada")
                    let (phone, laptop) = (stage.device("phone", token), stage.device("laptop", token))
                    let server = try await restore(stage, token, phone, laptop)
                    let before = try await phone.export()
                    for device in [phone, laptop] {
                        #expect(try await device.syncRefused(server, 65).contains("restored from a backup"))
                        #expect(try await device.export() == before)
                        try await device.sync(server, "--rejoin")
                    }
                    try await expect(Self.late, [phone, laptop], server)
                }
            }

            @Test func aRestoredServerThatCountedOnIsNoticedToo() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token("ada")
                    let (phone, laptop) = (stage.device("phone", token), stage.device("laptop", token))
                    let server = try await restore(stage, token, phone, laptop)
                    let tablet = stage.device("tablet", token)
                    try await tablet.sync(server)
                    var lines = ""
                    for number in 10...49 { lines += #"{"id":"t\#(number)","title":"tablet"}"# + "\n" }
                    try stage.write("many.ndjson", lines)
                    try await tablet.must("import", "note", "many.ndjson")
                    #expect(try await tablet.sync(server).total("pushed") == 40)
                    for device in [phone, laptop] {
                        #expect(try await device.syncRefused(server, 65).contains("restored from a backup"))
                        try await device.sync(server, "--rejoin")
                    }
                    let records = Self.late + (10...49).map { "note/t\($0)=tablet" }
                    try await expect(records.sorted(), [phone, laptop, tablet], server)
                }
            }

            @Test func aDeviceThatTheBackupKnowsGoesOnWithoutAWord() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token("ada")
                    var server = try await stage.server()
                    let phone = stage.device("phone", token)
                    try await phone.put("note", "n1", "one")
                    try await phone.sync(server)
                    try await server.stop()
                    try stage.copy("data", over: "backup")
                    try stage.copy("backup", over: "data")
                    server = try await stage.server()
                    try await phone.put("note", "n1", "two")
                    try await expect(["note/n1=two"], [phone], server)
                }
            }

            /// What the sleeping laptop wrote stays as its strategy says: under last-write-wins an edit that is older than the
            /// delete goes to the journal, as the phone still knows its delete.
            @Test func aDeviceThatSleptThroughAPurgeLosesAndResurrectsNothing() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token("ada")
                    let server = try await stage.server()
                    let (phone, laptop) = (stage.device("phone", token), stage.device("laptop", token))
                    for entity in Device.entities {
                        for key in ["clean", "early", "late", "rest"] {
                            try await phone.put(entity, key, "old")
                        }
                    }
                    try await phone.sync(server)
                    try await laptop.sync(server)
                    for entity in Device.entities {
                        try await laptop.put(entity, "early", "slept")
                        for key in ["clean", "early", "late"] { try await phone.must("delete", entity, key) }
                        try await laptop.put(entity, "late", "slept")
                        try await laptop.put(entity, "new", "slept")
                    }
                    try await phone.sync(server)
                    let purge = try await stage.run(
                        .syncserver,
                        "purge",
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
                    // The person at the laptop decides, and the phone, where nothing waits, takes what was decided.
                    for key in ["early", "late"] {
                        try await laptop.must("resolve", "bookmark", key, "--keep", "local")
                    }
                    try await laptop.sync(server)
                    #expect(try await laptop.must("journal", "--json").contains(#""key":"early""#))
                    try await phone.sync(server)
                    #expect(try await phone.conflicts() == [])
                    let all = ["bookmark/early=slept", "bookmark/late=slept"] + others + rest
                    try await expect(all, [phone, laptop], server)
                }
            }

            @Test func anotherDatabaseAtTheAddressIsRefusedAndNothingIsMixed() async throws {
                try await Stage.run { stage in
                    let (ada, other) = (
                        try await stage.token("ada"), try await stage.token("ada", data: "other")
                    )
                    let (first, second) = (try await stage.server(), try await stage.server(data: "other"))
                    let phone = stage.device("phone", ada)
                    try await phone.put("note", "n1", "hers")
                    try await phone.sync(first)
                    try await phone.put("note", "n2", "waits")
                    let stranger = stage.device("stranger", other)
                    try await stranger.put("note", "n1", "theirs")
                    try await stranger.sync(second)
                    let before = try await phone.export()
                    var moved = phone
                    moved.token = other
                    #expect(try await moved.syncRefused(second, 65).contains("another account"))
                    #expect(try await phone.export() == before)
                    #expect(try await phone.count("pending", "note") == 1)
                    try await stranger.sync(second)
                    #expect(try await stranger.records() == ["note/n1=theirs"])
                    try await phone.sync(first)
                    #expect(try await phone.count("pending", "note") == 0)
                }
            }

            @Test func anotherAccountsTokenIsRefusedAndNothingIsMixed() async throws {
                try await Stage.run { stage in
                    let (ada, bob) = (try await stage.token("ada"), try await stage.token("bob"))
                    let server = try await stage.server()
                    let phone = stage.device("phone", ada)
                    try await phone.put("note", "n1", "hers")
                    try await phone.sync(server)
                    try await phone.put("note", "n2", "waits")
                    let before = try await phone.export()
                    var wrong = phone
                    wrong.token = bob
                    #expect(try await wrong.syncRefused(server, 65).contains("another account"))
                    #expect(try await phone.export() == before)
                    let his = stage.device("his", bob)
                    #expect(try await his.sync(server).total("pulled") == 0)
                    #expect(try await phone.sync(server).total("pushed") == 1)
                }
            }
        }
    }
#endif
