#if Server
    import PostgRESTDouble
    import Testing

    extension SupabaseTests {
        /// What the SQL's functions may do, read from the catalogue and by calling each of them.
        @Suite struct FunctionRights {
            private func expectNone(_ probe: (SecurityProbe) async throws -> [String]) async throws {
                try await SupabaseProject.run { project in
                    let findings = try await probe(SecurityProbe(project))
                    #expect(findings == [])
                }
            }

            @Test func everyFunctionHasAnEmptySearchPath() async throws {
                try await expectNone { probe in
                    let all = try await probe.project.admin.value(
                        "select count(*) from pg_proc where pronamespace = 'entitysync'::regnamespace"
                    )
                    #expect(Int(all ?? "") ?? 0 > 60)
                    return try await probe.searchPaths()
                }
            }

            @Test func noFunctionWithTheOwnersRightsTakesAnAccount() async throws {
                try await expectNone { try await $0.definers() }
            }

            @Test func policiesAskForTheUserOncePerQuery() async throws {
                try await expectNone { try await $0.policies() }
            }

            @Test func noFunctionIsOpenToMoreThanNeedIt() async throws {
                try await expectNone { try await $0.functionRights() }
            }

            @Test(arguments: ["authenticated", "anon", "service_role"])
            func aDirectCallOfAnyFunctionGivesNothingOfAnother(role: String) async throws {
                try await expectNone { try await $0.directCalls(role: role) }
            }
        }
    }
#endif
