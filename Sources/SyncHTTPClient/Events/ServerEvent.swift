/// One server-sent event.
package struct ServerEvent: Sendable, Hashable {
    /// The name; `message` where the server gives none.
    var name: String
    /// The data; its lines are separated by a line feed.
    var data: String
}
