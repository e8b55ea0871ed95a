import EntitySync
import SyncCore

/// Who may see the page and press its buttons: one browser, which opened the address that the command printed.
///
/// The address holds a token that works once. It is exchanged for a cookie, which no other site can send along, and
/// forms hold another secret. Names of other hosts that lead here are refused, so that no site can take the page for
/// its own.
final class PageAccess: Sendable {
    /// What decides on a request.
    enum Decision {
        /// The request is answered.
        case allowed
        /// The token was exchanged for this value of the header `Set-Cookie`.
        case exchanged(cookie: String)
        /// The request is refused, with a sentence for people.
        case refused(String)
    }

    /// The address and port that the page is served at.
    let authority: String
    /// The secret in every form.
    let formToken: String
    private let cookieName: String
    private let session: String
    private let token: Guarded<String?>

    /// Makes secrets for a server on a loopback port.
    init(port: Int, random: any RandomSource) {
        authority = "127.0.0.1:\(port)"
        cookieName = "synccheck-inspect-\(port)"
        formToken = Self.secret(random)
        session = Self.secret(random)
        token = Guarded(Self.secret(random))
    }

    /// The address with the token that works once; nil if it was used.
    var address: String? { token.use { $0 }.map { "http://\(authority)/?token=\($0)" } }

    /// Decides on a request.
    func decide(_ request: PageRequest) -> Decision {
        guard request.headers["host"] == authority else {
            return .refused("This page answers only at its own address.")
        }
        if request.method == "GET", request.path == "/", let given = request.query["token"] {
            return exchange(token: given)
        }
        guard let cookie = request.cookie(name: cookieName), Self.isEqual(left: cookie, right: session) else {
            return .refused(
                "Open the address that the command printed. It works once; start the command again for another."
            )
        }
        // Browsers say where a request comes from; a page of another site has no business here.
        guard ["same-origin", "none", nil].contains(request.headers["sec-fetch-site"]) else {
            return .refused("This page answers no other site.")
        }
        guard request.method == "POST" else { return .allowed }
        guard request.headers["origin"] == "http://\(authority)" else {
            return .refused("This page answers no other site.")
        }
        guard let given = request.form?["form"], Self.isEqual(left: given, right: formToken) else {
            return .refused("Load the page again; this form is not of the command that runs now.")
        }
        return .allowed
    }

    private func exchange(token given: String) -> Decision {
        let isRight = token.use { token in
            guard let expected = token, Self.isEqual(left: given, right: expected) else { return false }
            token = nil
            return true
        }
        guard isRight else {
            return .refused(
                "This address was used already, or is not whole. Start the command again for another."
            )
        }
        return .exchanged(cookie: "\(cookieName)=\(session); Path=/; HttpOnly; SameSite=Strict")
    }

    /// 244 random bits as text.
    private static func secret(_ random: any RandomSource) -> String {
        (random.uuid() + random.uuid()).replacing("-", with: "")
    }

    /// Compares in a time that tells nothing about where two texts differ.
    private static func isEqual(left: String, right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
