public import Foundation

/// What can be an argument of a statement. Its value has the form that the views show.
public protocol SQLConvertible: Sendable {
    /// The value as SQLite gets it.
    var sqlValue: SQLValue { get }
}

extension SQLValue: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { self }
}

extension Int: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Int64: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { .integer(self) }
}

extension Double: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { .real(self) }
}

extension Bool: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension String: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { .text(self) }
}

extension UUID: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { .text(lowercaseText) }
}

extension Data: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { .bytes(Array(self)) }
}

extension Decimal: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { .text(DecimalText.canonical(description) ?? description) }
}

extension CalendarDate: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { .text(description) }
}

extension Timestamp: SQLConvertible {
    /// RFC 3339 in UTC with six digits after the second, as in the views, so that texts compare as instants do.
    public var sqlValue: SQLValue {
        let parts = description.dropLast().split(separator: ".")
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        return .text("\(parts[0]).\(fraction)\(String(repeating: "0", count: 6 - fraction.count))Z")
    }
}

extension Date: SQLConvertible {
    /// The value as SQLite gets it: the nearest instant in the years 0001 to 9999, which are those of all records; null
    /// if it is no number.
    public var sqlValue: SQLValue {
        let seconds = timeIntervalSince1970
        if seconds.isNaN { return .null }
        let bounds = Timestamp.written
        if seconds < bounds.lowerBound.date.timeIntervalSince1970 { return bounds.lowerBound.sqlValue }
        if seconds > bounds.upperBound.date.timeIntervalSince1970 { return bounds.upperBound.sqlValue }
        return min(max(Timestamp(self), bounds.lowerBound), bounds.upperBound).sqlValue
    }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    /// The value as SQLite gets it.
    public var sqlValue: SQLValue { self?.sqlValue ?? .null }
}
