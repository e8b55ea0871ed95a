#if Server
    import Foundation
    import SyncChecks
    import SyncCore
    import SyncServer
    import SyncWire

    @testable import syncserver

    /// Accounts in a temporary folder, and what accepts the tokens of a login for them.
    final class LoginBench: Sendable {
        let clock = ManualClock()
        let accounts: ServerAccounts
        private let folder = NSTemporaryDirectory() + "login-" + UUID().uuidString

        init(seed: UInt64 = 1) throws {
            accounts = try ServerAccounts(directory: folder, clock: clock, random: SeededRandom(seed))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// The present time in seconds since 1970, as claims have it.
        var now: Int { Int(clock.now().microseconds / 1_000_000) }

        /// What accepts the tokens of a login.
        func authenticator(
            _ login: TestLogin,
            policy: LoginPolicy = LoginPolicy()
        ) async throws -> LoginAuthenticator {
            let set = TestLogin.keySet(login.publicKey)
            return try await authenticator(policy: policy) {
                login.publicKey.isEmpty
                    ? try await SigningKeys(secret: Array(TestLogin.secret.utf8))
                    : try await SigningKeys(set: Array(set.utf8))
            }
        }

        /// What accepts the tokens of a login with these keys.
        func authenticator(
            policy: LoginPolicy = LoginPolicy(),
            onFailure: @escaping @Sendable (any Error) -> Void = { _ in },
            keys: @escaping @Sendable () async throws -> SigningKeys
        ) async throws -> LoginAuthenticator {
            let keys = try await LoginKeys(clock: clock, onFailure: onFailure, load: keys)
            return LoginAuthenticator(accounts: accounts, keys: keys, policy: policy, clock: clock)
        }
    }

    extension LoginAuthenticator {
        /// The name of the account that a token finds, as a host asks for it; nil if it is refused with 401.
        func name(of token: String) async throws -> String? {
            await prepare(token: token)
            return try authenticate(token: token)?.name
        }

        /// The error of a token that is refused with an error of its own.
        func refusal(of token: String) async -> WireError? {
            do {
                _ = try await name(of: token)
                return nil
            } catch { return error as? WireError }
        }
    }
#endif
