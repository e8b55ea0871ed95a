import EntitySync
import EntitySyncSupabase
import Testing

/// The part of a Supabase client that the page's adapter calls, in the shape that supabase-swift gives it.
struct AuthClient: Sendable {
    struct Session: Sendable {
        var accessToken: String
    }

    var session: Session {
        get async throws { Session(accessToken: "first") }
    }

    func refreshSession() async throws -> Session { Session(accessToken: "second") }
}

// snippet: supabase-session
/// The signed-in user's session, from the app's own Supabase client.
struct UserSession: CredentialSource {
    let auth: AuthClient

    func token() async throws -> String { try await auth.session.accessToken }

    func refresh(refused: String) async throws -> String? {
        let token = try await auth.refreshSession().accessToken
        return token == refused ? nil : token
    }
}
// snippet end

@Suite struct SupabaseSnippets {
    @Test func theSessionOfTheAppIsTheCredential() async throws {
        let session = UserSession(auth: AuthClient())
        #expect(try await session.token() == "first")
        #expect(try await session.refresh(refused: "first") == "second")
        #expect(try await session.refresh(refused: "second") == nil)
    }

    @Test func aSupabaseProjectIsAnotherKindOfRemote() throws {
        let (auth, key) = (AuthClient(), "sb_publishable_key")
        // snippet: supabase-backend
        let backend = SupabaseBackend(
            url: try ServerURL("https://xyz.supabase.co"),
            publishableKey: key,
            session: UserSession(auth: auth),
            environment: .system
        )
        // snippet end
        #expect(!backend.capabilities.contains(.changeHints))
    }
}
