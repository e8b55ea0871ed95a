/// A style or a script of a page, with the digest by which the page allows it and no other.
package struct PageCode: Sendable {
    /// The digest, as a content security policy writes it: `sha256-…`. A test compares it with the text.
    package let hash: String
    /// The text.
    package let text: Markup

    /// Code with its digest.
    package init(hash: String, text: Markup) {
        self.hash = hash
        self.text = text
    }
}
