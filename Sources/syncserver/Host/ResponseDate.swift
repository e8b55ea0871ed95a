import SyncCore

/// The date format of HTTP (RFC 9110, section 5.6.7).
enum ResponseDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Thu, 01 Jan 1970 00:00:00 GMT`.
    static func text(time: Timestamp) -> String {
        // `2026-01-31T12:00:00...`
        let text = Array(time.description.utf8)
        let day = (time.microseconds / 86_400_000_000) % 7
        guard text.count >= 19, day >= 0, let month = Int(String(decoding: text[5..<7], as: UTF8.self)) else {
            return "Thu, 01 Jan 1970 00:00:00 GMT"
        }
        func part(range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
        return
            "\(days[Int(day)]), \(part(range: 8..<10)) \(months[month - 1]) \(part(range: 0..<4)) \(part(range: 11..<19)) GMT"
    }
}
