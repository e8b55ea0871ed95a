#if Server
    import Foundation
    import ProgramRuns
    import Testing

    extension ProcessTests {
        @Suite struct TwoDeviceTests {
            @Test func anIdleSyncIsOneRequestAndOneWithAnEditIsTwo() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    for (entity, key) in [("bookmark", "b1"), ("note", "n1"), ("word", "w1")] {
                        try await phone.put(entity, key: key, title: "one")
                    }
                    let first = try await phone.sync(server)
                    #expect(first.outcome == "synced" && first.total(name: "pushed") == 3)
                    let second = try await laptop.sync(server)
                    #expect(second.total(name: "pulled") == 3)
                    #expect(try await phone.export() == laptop.export())
                    for device in [phone, laptop] {
                        let idle = try await device.sync(server)
                        #expect(
                            idle.requests == 1 && idle.total(name: "pulled") + idle.total(name: "pushed") == 0
                        )
                    }
                    try await laptop.put("note", key: "n1", title: "two")
                    let edit = try await laptop.sync(server)
                    #expect(edit.requests == 2 && edit.total(name: "pushed") == 1)
                    try await laptop.must(arguments: "delete", "word", "w1")
                    #expect(try await laptop.sync(server).requests == 2)
                    let pull = try await phone.sync(server)
                    #expect(pull.requests == 1 && pull.total(name: "pulled") == 2)
                    #expect(try await phone.records() == ["bookmark/b1=one", "note/n1=two"])
                    #expect(try await phone.export() == laptop.export())
                    #expect(try await laptop.sync(server).requests == 1)
                }
            }

            @Test func aConflictIsMarkedOnOneDeviceAndItsResolutionReachesTheOther() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    try await phone.put("bookmark", key: "b1", title: "base")
                    try await phone.sync(server)
                    try await laptop.sync(server)
                    try await phone.put("bookmark", key: "b1", title: "phone")
                    try await laptop.put("bookmark", key: "b1", title: "laptop")
                    try await phone.sync(server)
                    #expect(try await laptop.sync(server).total(name: "conflicts") == 1)
                    #expect(try await phone.sync(server).total(name: "conflicts") == 0)
                    #expect(try await laptop.conflicts() == ["bookmark/b1"])
                    #expect(try await laptop.records() == ["bookmark/b1=laptop"])
                    #expect(try await phone.records() == ["bookmark/b1=phone"])
                    try await laptop.must(arguments: "resolve", "bookmark", "b1", "--keep", "local")
                    try await laptop.sync(server)
                    try await phone.sync(server)
                    for device in [phone, laptop] {
                        #expect(try await device.conflicts() == [])
                        #expect(try await device.records() == ["bookmark/b1=laptop"])
                        #expect(try await device.sync(server).requests == 1)
                    }
                    #expect(try await phone.export() == laptop.export())
                }
            }

            @Test func anAccountWithSomeEntitiesSyncsTheseAndSaysWhichStayBehind() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada", entities: "bookmark")
                    let server = try await stage.server()
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    try await phone.put("bookmark", key: "b1", title: "one")
                    try await phone.put("note", key: "n1", title: "one")
                    let run = try await phone.run(arguments: "sync", "--remote", server.url, "--json")
                    let report = try Report(run.output)
                    #expect(
                        run.exitCode == 1 && report.outcome == "partial" && report.total(name: "pushed") == 1
                    )
                    #expect(run.error.contains("note") && run.error.contains("word"), "\(run.error)")
                    #expect(!run.error.contains("bookmark"), "\(run.error)")
                    #expect(try await phone.count(name: "pending", entity: "note") == 1)
                    #expect(try await phone.count(name: "pending", entity: "bookmark") == 0)
                    let second = try await laptop.run(arguments: "sync", "--remote", server.url)
                    #expect(second.exitCode == 1)
                    #expect(try await laptop.records() == ["bookmark/b1=one"])
                    #expect(try await phone.records() == ["bookmark/b1=one", "note/n1=one"])
                }
            }

            @Test func accountsNeverSeeEachOthersRecords() async throws {
                try await Stage.run { stage in
                    let (ada, bob) = (try await stage.token(name: "ada"), try await stage.token(name: "bob"))
                    let server = try await stage.server()
                    let (hers, his) = (
                        stage.device(name: "hers", token: ada), stage.device(name: "his", token: bob)
                    )
                    try await hers.put("note", key: "n1", title: "hers")
                    try await hers.put("note", key: "n2", title: "hers")
                    try await his.put("note", key: "n1", title: "his")
                    for _ in 1...2 {
                        try await hers.sync(server)
                        try await his.sync(server)
                    }
                    let (hers2, his2) = (
                        stage.device(name: "hers2", token: ada), stage.device(name: "his2", token: bob)
                    )
                    try await hers2.sync(server)
                    try await his2.sync(server)
                    for device in [hers, hers2] {
                        #expect(try await device.records() == ["note/n1=hers", "note/n2=hers"])
                    }
                    for device in [his, his2] { #expect(try await device.records() == ["note/n1=his"]) }
                }
            }
        }
    }
#endif
