#if Server
    import SyncCore
    import SyncServer
    import SyncWire

    /// A push after the check that every server makes in front of its store.
    ///
    /// The database decides about versions first: a change that it has already, or that is not based on the stored
    /// version, is answered as such even if it is invalid. So a refused change stays in the request with a value that the
    /// database refuses, too, and the answer then gets the rule and the reason of the check. All other bytes stay as they
    /// were sent.
    struct CheckedPush {
        /// The request as the database gets it.
        private(set) var body: [UInt8]
        /// Why changes are refused, by their positions in the request.
        private(set) var refusals: [Int: ChangeError] = [:]
        private let request: ExchangeRequest

        /// The body of a refused change. A record must be an object.
        private static let noRecord = Array("0".utf8)

        /// Checks the changes of a request.
        ///
        /// - Parameters:
        ///   - request: The request that `bytes` hold.
        ///   - bytes: The body of the message, of which the changes are slices.
        ///   - check: The rules.
        init(request: ExchangeRequest, bytes: [UInt8], check: PushCheck) throws {
            self.request = request
            body = bytes
            var check = check
            var cuts: [(range: Range<Int>, text: [UInt8])] = []
            let malformed = request.malformed.isEmpty ? [] : try Self.elements(of: "changes", in: bytes)
            var changes = request.changes.makeIterator()
            for position in 0..<request.changeCount {
                if request.malformed.contains(position) {
                    refusals[position] = .malformed
                    cuts.append((malformed[position], Self.noRecord))
                } else if let change = changes.next() {
                    let range = change.body.startIndex..<change.body.endIndex
                    switch try check.outcome(of: change) {
                    case .valid: break
                    case .keyOnly(let text): cuts.append((range, text))
                    case .refused(let error):
                        refusals[position] = error
                        cuts.append((range, Self.noRecord))
                    }
                }
            }
            if !cuts.isEmpty { body = Self.replacing(cuts, in: bytes) }
        }

        /// The database's answer with the reasons of the check, and which changes were refused for them.
        func completed(_ answer: [UInt8]) throws -> (answer: [UInt8], refused: [ExchangeReport.Refused]) {
            guard !refusals.isEmpty else { return (answer, []) }
            let results = try Self.elements(of: "results", in: answer)
            var cuts: [(range: Range<Int>, text: [UInt8])] = []
            var refused: [ExchangeReport.Refused] = []
            var entities = request.changes.map(\.header.entity).makeIterator()
            for position in 0..<request.changeCount {
                let entity = request.malformed.contains(position) ? nil : entities.next()
                guard let error = refusals[position], results.indices.contains(position),
                    Self.isRefused(answer[results[position]])
                else { continue }
                cuts.append((results[position], Self.text(of: error)))
                refused.append(ExchangeReport.Refused(entity: entity ?? "", rule: error.rule))
            }
            return (Self.replacing(cuts, in: answer), refused)
        }
    }

    extension CheckedPush {
        /// The ranges of the elements of an array that is a member of an object. Of several such members the last one
        /// counts.
        private static func elements(of member: String, in bytes: [UInt8]) throws -> [Range<Int>] {
            try bytes.withUnsafeBufferPointer { buffer in
                var ranges: [Range<Int>] = []
                var reader = JSONReader(validated: buffer)
                guard try reader.beginObject() else { return [] }
                repeat {
                    guard try reader.name().decode() == member else {
                        try skip(&reader, levels: 2)
                        continue
                    }
                    ranges = []
                    guard try reader.beginArray() else { continue }
                    repeat {
                        _ = try reader.peek()
                        let start = reader.position
                        try skip(&reader, levels: 2)
                        ranges.append(start..<reader.position)
                    } while try reader.nextElement()
                } while try reader.nextMember()
                return ranges
            }
        }

        /// Passes over a value. A record in it may be as deep as one may be by itself, below so many levels.
        private static func skip(_ reader: inout JSONReader, levels: Int) throws {
            switch try reader.peek() {
            case UInt8(ascii: "{") where levels > 0:
                guard try reader.beginObject() else { return }
                repeat {
                    _ = try reader.name()
                    try skip(&reader, levels: levels - 1)
                } while try reader.nextMember()
            case UInt8(ascii: "[") where levels > 0:
                guard try reader.beginArray() else { return }
                repeat { try skip(&reader, levels: levels - 1) } while try reader.nextElement()
            default: _ = try reader.skipDocument(checksText: false)
            }
        }

        private static func isRefused(_ result: ArraySlice<UInt8>) -> Bool {
            result.starts(with: #"{"status":"refused""#.utf8)
        }

        /// A refusal as the answer has it.
        private static func text(of error: ChangeError) -> [UInt8] {
            var writer = JSONWriter()
            writer.beginObject()
            for (name, value) in [("status", "refused"), ("rule", error.rule), ("reason", error.reason)] {
                writer.name(name)
                writer.string(value)
            }
            writer.endObject()
            return writer.bytes
        }

        /// The bytes with other texts in place of ranges, which are in order.
        private static func replacing(
            _ cuts: [(range: Range<Int>, text: [UInt8])],
            in bytes: [UInt8]
        ) -> [UInt8] {
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count + cuts.count * 128)
            var end = 0
            for cut in cuts {
                result += bytes[end..<cut.range.lowerBound]
                result += cut.text
                end = cut.range.upperBound
            }
            return result + bytes[end...]
        }
    }
#endif
