#if Server
    import PostgRESTDouble
    import Testing

    extension SupabaseTests {
        /// Nobody learns or changes anything of another account.
        @Suite struct Security {
            private func expectNone(_ probe: (SecurityProbe) async throws -> [String]) async throws {
                try await SupabaseProject.run { project in
                    let findings = try await probe(SecurityProbe(project))
                    #expect(findings == [])
                }
            }

            @Test func aSelectOfAnotherUserFindsNothing() async throws {
                try await expectNone { try await $0.reads() }
            }

            @Test func privateTablesAreClosedToEverybody() async throws {
                try await expectNone { try await $0.privateTables() }
            }

            @Test func writesOfAnotherUserChangeNothing() async throws {
                try await expectNone { try await $0.writes() }
            }

            @Test func aForgedOwnerIsRefused() async throws {
                try await expectNone { try await $0.forgedOwners() }
            }

            @Test func aPushOntoAnothersKeyAndRevisionShowsNothing() async throws {
                try await expectNone { try await $0.pushes() }
            }

            @Test func aForgedOrStolenCursorShowsNothing() async throws {
                try await expectNone { try await $0.cursors() }
            }

            @Test func anotherUsersErasureAndPurgeAreNotForUsers() async throws {
                try await expectNone { try await $0.operatorFunctions() }
            }
        }
    }
#endif
