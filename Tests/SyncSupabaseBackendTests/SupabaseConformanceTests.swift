#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import SyncServerBackend
    import SyncSupabaseBackend
    import Testing

    extension SupabaseTests {
        /// A Supabase project keeps every guarantee of a remote.
        @Suite struct Conformance {
            @Test func aProjectKeepsEveryGuarantee() async throws {
                try await SupabaseProject.runAlone { project in
                    let results = await BackendSuite.run(subject: SupabaseSubject(project: project))
                    #expect(results.count > 40)
                    for result in results { #expect(!result.isFailure, "\(result)") }
                    let applied = results.filter { $0.outcome == .passed }.count
                    #expect(applied >= 43, "\(results.filter { $0.outcome != .passed })")
                }
            }
        }
    }

    /// Remotes for checks: each is a new user of one project.
    private struct SupabaseSubject: BackendSubject {
        let project: SupabaseProject
        private let random = SeededRandom(3)
        var entities: [EntityDescriptor] { ShippedSchemas.entities }

        init(project: SupabaseProject) {
            self.project = project
        }

        func makeRemote() async throws -> any ScratchRemote {
            let number = String(random.next() >> 16, radix: 16)
            let digits = String(repeating: "0", count: 12 - number.count) + number
            return SupabaseRemote(project: project, user: User(id: "00000000-0000-4000-8000-\(digits)"))
        }
    }

    /// The records of one user.
    private struct SupabaseRemote: ScratchRemote {
        let project: SupabaseProject
        let user: User
        /// Small pages, so that checks of page borders need few records.
        private let limits = HTTPLimits(pageRecords: 7, pushChanges: 10, aheadBytes: 0, preparesAhead: false)

        init(project: SupabaseProject, user: User) {
            (self.project, self.user) = (project, user)
        }

        var profile: SuiteProfile {
            .server(pageRecords: limits.pageRecords, canPurge: true, canRestart: true)
        }

        func backend(for device: DeviceID) async throws -> any RemoteBackend {
            try project.backend(session: FixedToken(text: user.token()), limits: limits)
        }

        func purgeTombstones() async throws {
            try await project.admin.run("select entitysync.purge('infinity', $1)", user.id)
        }

        func restart() async throws {
            try await project.admin.run("select entitysync.empty($1)", user.id)
        }
    }
#endif
