#if FUZZ
    import Foundation
    import SyncFuzzing

    /// The reader that the process was started for. libFuzzer calls from one thread only.
    nonisolated(unsafe) private var reader = FuzzReader.json

    /// What libFuzzer calls first: takes the reader's name from the arguments, and leaves the rest to libFuzzer.
    @c(LLVMFuzzerInitialize)
    func initializeFuzzer(
        _ count: UnsafeMutablePointer<Int32>,
        _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
    ) -> Int32 {
        let first = count.pointee > 1 ? words.pointee[1].map { String(cString: $0) } : nil
        if first == "--version" {
            print(Usage.version)
            exit(0)
        }
        guard let named = first.flatMap({ FuzzReader(rawValue: $0) })
        else {
            complain(text: Usage.fuzzer)
            exit(64)
        }
        reader = named
        words.pointee[1] = words.pointee[0]
        words.pointee += 1
        count.pointee -= 1
        return 0
    }

    /// What libFuzzer calls with each input. A broken promise ends the process, so that libFuzzer keeps the input.
    @c(LLVMFuzzerTestOneInput)
    func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        do {
            try reader.check(Array(UnsafeBufferPointer(start: start, count: count)))
        } catch {
            complain(text: "broken promise: \(error)\n")
            abort()
        }
        return 0
    }
#endif
