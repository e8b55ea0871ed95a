/// Account ids that follow from a login. Servers that share a database, and not their files of accounts, thus give
/// one person one account.
package enum LoginID {
    /// The id of the account of a login. The length of the issuer keeps apart `ab` with `c`, and `a` with `bc`.
    ///
    /// - Parameters:
    ///   - issuer: Who made the token (`iss`); empty if the token does not say.
    ///   - subject: The name that the login vouches for.
    package static func make(issuer: String, subject: String) -> String {
        NameUUID.make(name: "entitysync\0login\0\(issuer.utf8.count)\0\(issuer)\(subject)")
    }

    /// Whether an account's id follows from a login, and not from this data folder's random numbers alone.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - issuer: Who makes the tokens; nil if that is not known. Then the UUID's version decides, and any issuer will
    ///     do.
    package static func isDerived(_ account: Account, issuer: String?) -> Bool {
        if let issuer { return account.id == make(issuer: issuer, subject: account.name) }
        // The 13th digit is the version: random ids have 4.
        return account.id.utf8.count == 36 && account.id.utf8.dropFirst(14).first == UInt8(ascii: "8")
    }
}
