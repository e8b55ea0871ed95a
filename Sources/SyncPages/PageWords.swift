package import SyncModel

/// Numbers, sizes and times for people.
package enum PageWords {
    /// A number with a comma between thousands.
    package static func number(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// A count with its noun.
    package static func count(_ count: Int, noun: String) -> String {
        let plural = noun.hasSuffix("y") ? noun.dropLast() + "ies" : noun + "s"
        return "\(number(count)) \(count == 1 ? noun : plural)"
    }

    /// A size in bytes, with three digits at most.
    package static func size(bytes: Int64) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var value = bytes
        var unit = 0
        // Tenths of the unit, rounded once.
        var tenths = bytes * 10
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
            tenths = (tenths + 500) / 1000
        }
        let isWhole = unit == 0 || tenths >= 1000 || tenths.isMultiple(of: 10)
        return isWhole
            ? "\(number(Int((tenths + 5) / 10))) \(units[unit])"
            : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// How long something took.
    package static func duration(microseconds: Int64) -> String {
        switch max(0, microseconds) {
        case ..<1_000_000: "\(max(0, microseconds) / 1000) ms"
        case ..<60_000_000: "\(microseconds / 1_000_000).\(microseconds / 100_000 % 10) s"
        default: age(microseconds: microseconds)
        }
    }

    /// How long ago something was.
    package static func age(microseconds: Int64) -> String {
        let seconds = max(0, microseconds) / 1_000_000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(number(Int(seconds / 86_400))) days"
        }
    }

    /// An instant for people, to the second.
    package static func time(at time: Timestamp) -> String {
        let text = time.description
        return text.prefix { $0 != "T" } + " " + text.drop { $0 != "T" }.dropFirst().prefix(8) + " UTC"
    }

    /// An instant, with the exact one behind it.
    package static func shown(time: Timestamp) -> Markup {
        "<time datetime=\"\(time.description)\">\(self.time(at: time))</time>"
    }

    /// A text that stays short, in Unicode scalars.
    package static func short(text: String, limit: Int) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count > limit else { return text }
        return String(scalars.prefix(limit)) + "…"
    }
}
