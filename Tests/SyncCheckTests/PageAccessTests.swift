import SyncChecks
import Testing

@testable import synccheck

/// Secrets of a live page that are almost right.
@Suite struct PageAccessTests {
    @Test func onlyTheWholeTokenIsExchanged() throws {
        let access = PageAccess(port: 4711, random: SeededRandom(1))
        let token = try self.token(of: access)
        let accepted = Self.wrong(token).filter { isAllowed(exchange(token: $0), by: access) }
        #expect(accepted.isEmpty)
        #expect(try self.token(of: access) == token, "a refused token does not use the right one up")
        #expect(isAllowed(exchange(token: token), by: access))
    }

    @Test func onlyTheWholeCookieIsAccepted() throws {
        let access = PageAccess(port: 4711, random: SeededRandom(2))
        let session = try self.session(of: access)
        let accepted = Self.wrong(session).filter { isAllowed(page(session: $0), by: access) }
        #expect(accepted.isEmpty)
        #expect(isAllowed(page(session: session), by: access))
    }

    @Test func onlyTheWholeSecretOfAFormIsAccepted() throws {
        let access = PageAccess(port: 4711, random: SeededRandom(3))
        let session = try self.session(of: access)
        let secret = access.formToken
        let accepted = Self.wrong(secret).filter {
            isAllowed(form(secret: $0, session: session), by: access)
        }
        #expect(accepted.isEmpty)
        #expect(isAllowed(form(secret: secret, session: session), by: access))
    }

    /// Wrong values of the same length: random ones, all that differ in the first, middle or last digit only, and
    /// the right one in upper case.
    private static func wrong(_ right: String) -> [String] {
        let digits = Array("0123456789abcdef")
        var seed = Seed(7)
        var wrong = [right.uppercased()]
        for _ in 0..<2_000 {
            var value = ""
            for _ in 0..<right.count { value.append(digits[Int(seed.next() % 16)]) }
            wrong.append(value)
        }
        for position in [0, right.count / 2, right.count - 1] {
            for digit in digits {
                var value = Array(right)
                value[position] = digit
                wrong.append(String(value))
            }
        }
        return wrong.filter { $0 != right }
    }

    private func token(of access: PageAccess) throws -> String {
        let address = try #require(access.address)
        return String(address.drop { $0 != "=" }.dropFirst())
    }

    /// Exchanges the token, and returns the cookie's value.
    private func session(of access: PageAccess) throws -> String {
        let token = try self.token(of: access)
        var cookie: String?
        if case .exchanged(let given) = access.decide(exchange(token: token)) { cookie = given }
        let pair = try #require(cookie).prefix { $0 != ";" }
        return String(pair.drop { $0 != "=" }.dropFirst())
    }

    private func exchange(token: String) -> PageRequest {
        PageRequest(method: "GET", target: "/?token=\(token)", headers: ["host": "127.0.0.1:4711"])
    }

    private func page(session: String) -> PageRequest {
        PageRequest(
            method: "GET",
            target: "/",
            headers: ["host": "127.0.0.1:4711", "cookie": "synccheck-inspect-4711=\(session)"]
        )
    }

    private func form(secret: String, session: String) -> PageRequest {
        PageRequest(
            method: "POST",
            target: "/retry",
            headers: [
                "host": "127.0.0.1:4711", "cookie": "synccheck-inspect-4711=\(session)",
                "origin": "http://127.0.0.1:4711", "content-type": "application/x-www-form-urlencoded",
            ],
            body: Array("form=\(secret)".utf8)
        )
    }

    private func isAllowed(_ request: PageRequest, by access: PageAccess) -> Bool {
        if case .refused = access.decide(request) { return false }
        return true
    }
}
