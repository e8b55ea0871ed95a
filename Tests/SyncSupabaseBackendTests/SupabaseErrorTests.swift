#if Server
    import Foundation
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import SyncHTTPClient
    import Testing

    extension SupabaseTests {
        /// Each mistake in a setup has a sentence with the next step, and costs nothing.
        @Suite struct Errors {
            private let key = "00000000-0000-4000-8000-0000000000b1"

            /// Syncs a device with one pending edit into an error, mends the cause, and checks that nothing was lost.
            private func expect(
                _ kind: SyncError.Kind,
                retry: RetryAdvice,
                message: String,
                project: SupabaseProject,
                device: SupabaseDevice,
                mend: () async throws -> SupabaseDevice
            ) async throws {
                try device.putBookmark(key: key, notes: "mine")
                let error = try await device.syncError()
                #expect(error.kind == kind && error.retry == retry, "\(error)")
                #expect(error.message.contains(message), "\(error.message)")
                #expect(!error.help.isEmpty)
                #expect(try device.keys("bookmark", in: .pending) == [key])
                #expect(try device.notes(key: key) == "mine")
                let mended = try await mend()
                if mended !== device { try mended.putBookmark(key: key, notes: "mine") }
                try await mended.syncToRest()
                #expect(try await project.admin.value("select notes from public.bookmarks") == "mine")
            }

            @Test func withoutTheFunctionTheSQLIsAskedFor() async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.run("drop function public.entitysync_exchange(json)")
                    let phone = try SupabaseDevice(project, seed: 1)
                    try await expect(
                        .wrongRemote,
                        retry: .afterAction,
                        message: "has no function 'entitysync_exchange'",
                        project: project,
                        device: phone
                    ) {
                        try await project.applySQL()
                        return phone
                    }
                }
            }

            @Test(arguments: [
                "drop function entitysync.enter(text, boolean)",
                "alter table entitysync.state drop column vector",
                "drop table entitysync.fingerprint, entitysync.device cascade",
                "drop schema entitysync cascade",
            ])
            func anOlderOrIncompleteSQLIsToBeAppliedAgain(lacking: String) async throws {
                try await SupabaseProject.run { project in
                    try await project.admin.script(lacking)
                    let phone = try SupabaseDevice(project, seed: 1)
                    try phone.putBookmark(key: key, notes: "mine")
                    let error = try await phone.syncError()
                    #expect(error.kind == .wrongRemote && error.retry == .afterAction, "\(error)")
                    #expect(error.message.contains("EntitySync's SQL"), "\(error.message)")
                    #expect(error.help.contains("synccheck generate --sql postgres"))
                    #expect(try phone.keys("bookmark", in: .pending) == [key])
                }
            }

            @Test func aTokenWithoutAUserIsRefused() async throws {
                try await SupabaseProject.run { project in
                    let end = Int(Date().timeIntervalSince1970) + 60
                    let claims = #"{"role":"authenticated","exp":\#(end)}"#
                    let nobody = JSONWebToken.sign(claims: claims, secret: PostgRESTServer.secret)
                    let phone = try SupabaseDevice(project, seed: 1)
                    phone.session.signIn(nobody)
                    try await expect(
                        .notPermitted,
                        retry: .afterSignIn,
                        message: "token",
                        project: project,
                        device: phone
                    ) {
                        phone.session.signIn(User.ada.token())
                        return phone
                    }
                }
            }

            @Test func aTokenWhoseUserIsNoUUIDIsRefused() async throws {
                try await SupabaseProject.run { project in
                    let phone = try SupabaseDevice(project, seed: 1)
                    phone.session.signIn(User(id: "auth0|17").token())
                    try await expect(
                        .notPermitted,
                        retry: .afterSignIn,
                        message: "'sub' is not a UUID",
                        project: project,
                        device: phone
                    ) {
                        phone.session.signIn(User.ada.token())
                        return phone
                    }
                }
            }

            @Test func thePublishableKeyAloneIsNoUser() async throws {
                try await SupabaseProject.run { project in
                    let claims = #"{"role":"anon","iss":"supabase"}"#
                    let phone = try SupabaseDevice(project, seed: 1)
                    phone.session.signIn(
                        JSONWebToken.sign(claims: claims, secret: PostgRESTServer.secret)
                    )
                    try await expect(
                        .notPermitted,
                        retry: .afterSignIn,
                        message: "may not call 'entitysync_exchange'",
                        project: project,
                        device: phone
                    ) {
                        phone.session.signIn(User.ada.token())
                        return phone
                    }
                }
            }

            @Test func aForgedTokenIsRefused() async throws {
                try await SupabaseProject.run { project in
                    let phone = try SupabaseDevice(project, seed: 1)
                    phone.session.signIn(
                        JSONWebToken.sign(claims: User.ada.claims(), secret: "another secret")
                    )
                    try await expect(
                        .notPermitted,
                        retry: .afterSignIn,
                        message: "token",
                        project: project,
                        device: phone
                    ) {
                        phone.session.signIn(User.ada.token())
                        return phone
                    }
                }
            }

            @Test(arguments: ["sb_publishable_wrong", ""])
            func aWrongPublishableKeyIsNotTakenForABadToken(publishableKey: String) async throws {
                try await SupabaseProject.run { project in
                    let session = SessionSource(User.ada.token())
                    let phone = try SupabaseDevice(
                        backend: project.backend(session: session, key: publishableKey),
                        session: session,
                        seed: 1
                    )
                    try await expect(
                        .notPermitted,
                        retry: .afterAction,
                        message: "publishable key",
                        project: project,
                        device: phone
                    ) {
                        #expect(session.refreshes == 0, "the user's token is not to blame")
                        return try SupabaseDevice(project, seed: 2)
                    }
                }
            }

            @Test func aLockedTableIsNotBlamedOnTheRecordThatWaitedForIt() async throws {
                var settings = PostgRESTServer.Settings()
                settings.statementMilliseconds = 300
                try await SupabaseProject.run(settings: settings) { project in
                    let phone = try SupabaseDevice(project, seed: 1)
                    let other = try await project.session(.ada)
                    try await other.run("begin")
                    try await other.run("lock table public.bookmarks in exclusive mode")
                    try phone.putBookmark(key: key, notes: "mine")
                    for _ in 0..<2 { _ = try? await phone.sync() }
                    #expect(try phone.keys("bookmark", in: .pending) == [key], "the record is not to blame")
                    try await other.run("rollback")
                    try await phone.syncToRest()
                    #expect(try await project.admin.value("select notes from public.bookmarks") == "mine")
                }
            }
        }
    }
#endif
