import SyncCore
import SyncWire

/// What one session takes in: the new files of every device, and what could not be believed.
struct Intake: Sendable {
    /// The entries.
    var pool = EntryPool()
    /// What was skipped.
    var problems: [RemoteProblem] = []

    /// The highest sequence of a device that any entry names.
    func sequence(of device: DeviceID) -> Int64 {
        pool.entries.reduce(0) { max($0, $1.header.stamp.sequence(of: device)) }
    }
}

extension Stamp {
    /// The highest sequence of a device that the stamp names.
    func sequence(of device: DeviceID) -> Int64 {
        max(vector[device], mark.device == device ? mark.sequence : 0)
    }
}

extension FolderReader {
    /// Takes in everything of another device that was not taken before, and moves `taken`.
    func takeIn(_ listing: DeviceListing, into intake: inout Intake, _ taken: inout NumberSet) throws {
        let before = taken
        let (seen, refused) = try takeFiles(listing, &intake, &taken)
        intake.problems += seen.problems
        intake.problems += gaps(seen, before: before, taken: taken, refused: refused)
    }

    /// Reads the files that are not taken yet. Returns the listing that held, and the numbers that were refused.
    @discardableResult
    func takeFiles(
        _ listing: DeviceListing,
        _ intake: inout Intake,
        _ taken: inout NumberSet
    ) throws -> (listing: DeviceListing, refused: NumberSet) {
        var listing = listing
        var problems: [RemoteProblem] = []
        var refused = NumberSet()
        // A device may compact its files while we read them; what vanished under us stands in the new listing.
        for _ in 1...3 {
            problems = []
            refused = NumberSet()
            var vanished = false
            // NB: a snapshot stands before the segments that it replaced, so those are read only if it cannot be.
            for file in listing.files where !taken.contains(file.range) {
                switch try load(listing.device, file) {
                case .success(let loaded):
                    let place = layout.place(listing.device, file)
                    for line in intake.pool.add(loaded) {
                        intake.problems.append(.malformedEntry(place, line: line))
                    }
                    taken.insert(file.range)
                case .failure(.vanished): vanished = true
                case .failure(.refused(let problem)):
                    problems.append(problem)
                    refused.insert(file.range)
                }
            }
            guard vanished, try files.kind(layout.folder(listing.device)) == .folder else { break }
            listing = try list(listing.device)
        }
        for file in listing.placeholders where !taken.contains(file.range) {
            problems.append(.placeholder(layout.place(listing.device, file), hides: true))
            refused.insert(file.range)
        }
        intake.problems += problems
        return (listing, refused)
    }

    /// What is missing between the files.
    private func gaps(
        _ listing: DeviceListing,
        before: NumberSet,
        taken: NumberSet,
        refused: NumberSet
    ) -> [RemoteProblem] {
        let place = layout.place(listing.device)
        let numbers = listing.numbers
        if numbers.highest < before.highest {
            return [.shrunk(place, taken: before.highest, found: numbers.highest)]
        }
        var problems: [RemoteProblem] = []
        if let gap = taken.firstGap, !refused.contains(gap.lowerBound...gap.lowerBound) {
            problems.append(.gap(place, gap))
        }
        if let lost = numbers.firstGap, lost.lowerBound <= before.contiguous {
            let lost = lost.lowerBound...min(lost.upperBound, before.contiguous)
            problems.append(.lostSegments(place, lost, isOwn: false))
        }
        return problems
    }

    /// Why a file was not loaded.
    enum LoadFailure: Error {
        /// It is not there any more.
        case vanished
        /// It is not believed.
        case refused(RemoteProblem)
    }

    /// Reads one file and checks that it is whole and what its name says.
    func load(_ device: DeviceID, _ file: NumberedFile) throws -> Result<LoadedFile, LoadFailure> {
        let place = layout.place(device, file)
        let path = layout.path(device, file)
        let bytes: [UInt8]
        do {
            switch try files.kind(path) {
            case nil: return .failure(.vanished)
            case .link: return .failure(.refused(.link(place)))
            case .folder, .other: return .failure(.refused(.notAFile(place)))
            case .file(let count) where count > limits.maxFileBytes:
                return .failure(.refused(.tooLarge(place, limit: limits.maxFileBytes)))
            case .file: bytes = try files.read(path, maxBytes: limits.maxFileBytes)
            }
        } catch let problem as FileProblem {
            return .failure(problem.kind == .notFound ? .vanished : .refused(.unreadable(place, problem)))
        }
        do throws(SegmentRefusal) {
            let segment = try Segment(bytes)
            let kind: SegmentHeader.Kind = file.isSnapshot ? .snapshot : .segment
            let isAtItsPlace =
                segment.header.device == device && segment.header.range == file.range
                && segment.header.kind == kind
            guard isAtItsPlace || !Guard.isOn(.filePlace) else {
                return .failure(.refused(.misplaced(place)))
            }
            return .success(LoadedFile(device: device, file: file, bytes: bytes, segment: segment))
        } catch { return .failure(.refused(.refused(place, error))) }
    }

    /// Reads a device's own description. Nil when there is none or it is broken; throws for a newer format.
    func deviceFile(_ device: DeviceID) throws -> DeviceFile? {
        let bytes: [UInt8]
        do {
            bytes = try files.read(layout.deviceFile(device), maxBytes: DeviceFile.maxBytes)
        } catch let problem as FileProblem {
            switch problem.kind {
            case .notFound, .notAFile, .tooLarge: return nil
            default: throw problem
            }
        }
        do throws(DeviceFile.Refusal) {
            return try DeviceFile(bytes, of: device)
        } catch {
            if case .newerFormat = error { throw error }
            return nil
        }
    }
}
