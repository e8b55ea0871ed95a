#if Server
    import PostgRESTDouble
    import PostgresCluster
    import SyncChecks
    import SyncCore
    import SyncHTTPClient
    import Testing

    extension SupabaseTests {
        /// A database that is killed loses nothing that a device knows to be stored.
        @Suite struct Crashes {
            @Test func aDatabaseKilledInTheMiddleOfPushesLosesNothingAndStoresNothingTwice() async throws {
                try await SupabaseProject.runAlone(isDurable: true) { project in
                    let session = SessionSource(User.ada.token())
                    // A phone that asks again at once, however often the database was gone.
                    let breakers = SharedCircuitBreaker(CircuitBreaker.Settings(failures: 10_000))
                    let phone = try SupabaseDevice(
                        backend: project.backend(session: session, breakers: breakers),
                        session: session,
                        seed: 1
                    )
                    let isDone = Guarded(false)
                    async let crashes: Int = {
                        var crashes = 0
                        while !isDone.use({ $0 }), crashes < 3 {
                            try await Task.sleep(for: .milliseconds(150 + 130 * crashes))
                            try await project.cluster.crashAndRestart()
                            crashes += 1
                        }
                        isDone.use { $0 = true }
                        return crashes
                    }()
                    var written: [String] = []
                    while written.count < 40 || (!isDone.use { $0 } && written.count < 4000) {
                        for _ in 0..<20 {
                            let key = Body.key(written.count + 1)
                            try phone.putBookmark(key: key, verse: written.count + 1, notes: "note of \(key)")
                            written.append(key)
                        }
                        // A sync in which the database is gone fails, and the next one goes on.
                        _ = try? await phone.sync()
                    }
                    isDone.use { $0 = true }
                    #expect(try await crashes > 0)
                    for _ in 0..<50 where try !phone.keys("bookmark", in: .pending).isEmpty {
                        _ = try? await phone.sync()
                        try await Task.sleep(for: .milliseconds(50))
                    }
                    #expect(try phone.keys("bookmark", in: .pending).isEmpty)
                    #expect(try phone.keys("bookmark", in: .conflict).isEmpty)
                    let laptop = try SupabaseDevice(project, seed: 2)
                    try await laptop.syncToRest()
                    #expect(try laptop.export("bookmark").count == written.count)
                    #expect(try laptop.export("bookmark") == phone.export("bookmark"))
                    let admin = try await project.session(.ada)
                    let rows = "select count(*) || ' ' || count(distinct id) from public.bookmarks"
                    #expect(try await admin.value(rows) == "\(written.count) \(written.count)")
                }
            }
        }
    }
#endif
