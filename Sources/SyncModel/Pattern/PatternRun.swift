/// One match of a program against a text.
struct PatternRun {
    /// How many instructions were looked at.
    private(set) var steps = 0
    private let program: [PatternInstruction]
    /// Per instruction, one more than the number of scalars before which it was last reached.
    private var reached: [Int]
    /// Instructions to look at before the next scalar.
    private var open: [Int] = []
    /// Instructions that take the next scalar.
    private var waiting: [Int] = []

    init(_ program: [PatternInstruction]) {
        self.program = program
        reached = Array(repeating: 0, count: program.count)
    }

    /// Whether the text, which is valid UTF-8, has the pattern anywhere.
    mutating func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var former: Unicode.Scalar?
        var offset = 0
        var place = 1
        while true {
            let next = Self.scalar(of: text, at: &offset)
            // It may begin at every place.
            open.append(0)
            if follow(place: place, former: former, next: next) { return true }
            guard let next else { return false }
            take(next)
            former = next
            place += 1
        }
    }

    /// Looks at all open instructions and what follows without a scalar. Returns true if the pattern is found.
    private mutating func follow(place: Int, former: Unicode.Scalar?, next: Unicode.Scalar?) -> Bool {
        while let index = open.popLast() {
            guard reached[index] != place else { continue }
            reached[index] = place
            steps += 1
            switch program[index] {
            case .found: return true
            case .scalar: waiting.append(index)
            case .jump(let target): open.append(target)
            case .split(let first, let second):
                open.append(second)
                open.append(first)
            case .assertion(let assertion):
                if assertion.holds(between: former, and: next) { open.append(index + 1) }
            }
        }
        return false
    }

    /// Opens what follows each instruction that takes the scalar.
    private mutating func take(_ scalar: Unicode.Scalar) {
        for index in waiting {
            steps += 1
            if case .scalar(let set) = program[index], set.contains(scalar) { open.append(index + 1) }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// The scalar at an offset, which moves behind it; nil at the end.
    private static func scalar(of text: UnsafeBufferPointer<UInt8>, at offset: inout Int) -> Unicode.Scalar? {
        guard offset < text.count else { return nil }
        let first = text[offset]
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var value = UInt32(length == 1 ? first : first & (0x7F >> UInt8(length)))
        let end = min(offset + length, text.count)
        for index in (offset + 1)..<max(offset + 1, end) { value = value << 6 | UInt32(text[index] & 0x3F) }
        offset = end
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}
