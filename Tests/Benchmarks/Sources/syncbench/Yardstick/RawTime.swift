/// Times as text and as microseconds since 1970, by arithmetic alone (days_from_civil and back, public domain).
enum RawTime {
    /// Reads `2024-01-31T12:34:56Z`, perhaps with a fraction; nil for anything else.
    @inline(__always)
    static func microseconds(text: UnsafePointer<UInt8>, count: Int) -> Int64? {
        @inline(__always) func rhs(place: Int) -> Int {
            Int(text[place] &- 0x30) &* 10 &+ Int(text[place + 1] &- 0x30)
        }
        guard count >= 20, text[4] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[count - 1] == UInt8(ascii: "Z")
        else { return nil }
        let (month, day) = (rhs(place: 5), rhs(place: 8))
        let year = rhs(place: 0) &* 100 &+ rhs(place: 2) - (month <= 2 ? 1 : 0)
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        let seconds = days * 86_400 + rhs(place: 11) * 3600 + rhs(place: 14) * 60 + rhs(place: 17)
        var fraction = 0
        var scale = 100_000
        for place in 20..<max(20, count - 1) where scale > 0 {
            fraction += Int(text[place] &- 0x30) * scale
            scale /= 10
        }
        return Int64(seconds * 1_000_000 + fraction)
    }

    /// Writes whole seconds as `2024-01-31T12:34:56Z`: 20 bytes.
    @inline(__always)
    static func write(seconds: Int, to text: UnsafeMutablePointer<UInt8>) {
        let (day, rest) = (seconds / 86_400, seconds % 86_400)
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        @inline(__always) func rhs(place: Int, value: Int) {
            text[place] = UInt8(0x30 + value / 10)
            text[place + 1] = UInt8(0x30 + value % 10)
        }
        rhs(place: 0, value: year / 100)
        rhs(place: 2, value: year % 100)
        rhs(place: 5, value: month)
        rhs(place: 8, value: dayOfYear - (153 * part + 2) / 5 + 1)
        rhs(place: 11, value: rest / 3600)
        rhs(place: 14, value: rest / 60 % 60)
        rhs(place: 17, value: rest % 60)
        (text[4], text[7], text[10]) = (UInt8(ascii: "-"), UInt8(ascii: "-"), UInt8(ascii: "T"))
        (text[13], text[16], text[19]) = (UInt8(ascii: ":"), UInt8(ascii: ":"), UInt8(ascii: "Z"))
    }
}
