import SyncCore
import Testing

@Suite struct RunningDigestTests {
    @Test func piecesOfAnySizeHaveTheFingerprintOfTheWhole() {
        let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 7) }
        for length in [0, 1, 15, 16, 17, 31, 32, 33, 200] {
            let whole = Array(bytes.prefix(length))
            for size in 1...40 {
                var digest = RunningDigest()
                for start in stride(from: 0, to: length, by: size) {
                    let piece = Array(whole[start..<min(length, start + size)])
                    piece.withUnsafeBytes { digest.append($0) }
                }
                #expect(digest.digest == Digest(whole), "\(length) bytes in pieces of \(size)")
            }
        }
    }
}
