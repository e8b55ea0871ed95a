// Apple platforms only: type-checked on Linux against declarations, and never run there.
#if canImport(Darwin)
    import Foundation
    import SyncCore

    extension DownloadService {
        /// The system's service of the folder: iCloud Drive, or another one that has a place in Finder or Files.
        static let system: DownloadService? = DownloadService(
            holds: { FileManager.default.isUbiquitousItem(at: URL(fileURLWithPath: $0)) },
            download: { path in
                let url = URL(fileURLWithPath: path)
                // Only iCloud takes such a request. Others download what somebody is about to read.
                try? FileManager.default.startDownloadingUbiquitousItem(at: url)
                let intent = NSFileAccessIntent.readingIntent(with: url)
                NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { _ in }
            },
            coordinate: { path, access, body in
                let (coordinator, url) = (NSFileCoordinator(), URL(fileURLWithPath: path))
                var refusal: NSError?
                var result: Result<Void, any Error>?
                func call(at url: URL) { result = Result(catching: body) }
                switch access {
                case .reading:
                    coordinator.coordinate(readingItemAt: url, error: &refusal, byAccessor: call)
                case .replacing:
                    coordinator.coordinate(
                        writingItemAt: url,
                        options: .forReplacing,
                        error: &refusal,
                        byAccessor: call
                    )
                case .deleting:
                    coordinator.coordinate(
                        writingItemAt: url,
                        options: .forDeleting,
                        error: &refusal,
                        byAccessor: call
                    )
                }
                if let refusal {
                    throw StorageError(
                        place: path,
                        kind: .failed,
                        number: Int32(truncatingIfNeeded: refusal.code)
                    )
                }
                try result?.get()
            }
        )
    }
#else
    extension DownloadService {
        /// Nobody is asked here: what fills a folder does so by itself.
        static let system: DownloadService? = nil
    }
#endif
