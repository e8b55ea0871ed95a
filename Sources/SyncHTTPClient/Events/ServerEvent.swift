/// One server-sent event.
package struct ServerEvent: Sendable, Hashable {
    /// The event's name; `message` if the server gives none.
    var name: String
    /// The data; its lines are separated by a line feed.
    var data: String
}
