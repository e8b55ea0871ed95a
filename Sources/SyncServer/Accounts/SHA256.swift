/// SHA-256 (FIPS 180-4), used for tokens and for the files of backups. Decision 0009 explains why the package has its own.
package struct SHA256 {
    /// The first 32 bits of the fractional parts of the square roots of the first eight primes (section 5.3.3).
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19,
    ]
    private var schedule = [UInt32](repeating: 0, count: 64)

    private init() {}

    /// The 32-byte digest of some bytes.
    package static func digest(bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        return hash.finish(rest: bytes, count: bytes.count)
    }

    /// The 32-byte digest of bytes that come in pieces.
    ///
    /// - Parameter next: Returns the next piece of any length; an empty one is the end.
    package static func digest(next: () throws -> [UInt8]) rethrows -> [UInt8] {
        var hash = SHA256()
        var rest: [UInt8] = []
        var count = 0
        while true {
            let piece = try next()
            if piece.isEmpty { break }
            count += piece.count
            rest += piece
            let whole = rest.count / 64 * 64
            for start in stride(from: 0, to: whole, by: 64) { hash.compress(block: rest[start..<start + 64]) }
            rest.removeFirst(whole)
        }
        return hash.finish(rest: rest, count: count)
    }

    /// Compresses the last bytes with the padding of a message of `count` bytes, and returns the digest.
    private mutating func finish(rest: [UInt8], count: Int) -> [UInt8] {
        let padded = Self.padded(bytes: rest, count: count)
        for start in stride(from: 0, to: padded.count, by: 64) { compress(block: padded[start..<start + 64]) }
        return state.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    /// The end of a message of `count` bytes with its padding: a 1 bit, zeros, and the length in bits, up to whole
    /// 64-byte blocks (section 5.1.1).
    private static func padded(bytes: [UInt8], count: Int) -> [UInt8] {
        var padded = bytes
        padded.append(0x80)
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        let bits = UInt64(count) * 8
        padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
        return padded
    }

    /// Compresses one block into the state (section 6.2.2).
    private mutating func compress(block: ArraySlice<UInt8>) {
        fillSchedule(block)
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for round in 0..<64 {
            let sum1 = e.turned(count: 6) ^ e.turned(count: 11) ^ e.turned(count: 25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ sum1 &+ choice &+ Self.constants[round] &+ schedule[round]
            let sum0 = a.turned(count: 2) ^ a.turned(count: 13) ^ a.turned(count: 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private mutating func fillSchedule(_ block: ArraySlice<UInt8>) {
        for index in 0..<16 {
            let start = block.startIndex + index * 4
            schedule[index] = block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let small0 = early.turned(count: 7) ^ early.turned(count: 18) ^ (early >> 3)
            let small1 = late.turned(count: 17) ^ late.turned(count: 19) ^ (late >> 10)
            schedule[index] = schedule[index - 16] &+ small0 &+ schedule[index - 7] &+ small1
        }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7,
        0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc,
        0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351,
        0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e,
        0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585,
        0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f,
        0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}

extension Sequence<UInt8> {
    /// The bytes in hexadecimal digits, two for each.
    package var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension UInt32 {
    /// The bits rotated to the right.
    fileprivate func turned(count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
