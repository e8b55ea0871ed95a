package import SyncCore

/// Limits for reading and writing a folder.
package struct FolderLimits: Sendable {
    /// The largest file that is read or written.
    package var maxFileBytes = 1 << 30
    /// A larger file is read in pieces of this size. A single entry may be larger.
    package var pieceBytes = 8 << 20
    /// Pages are delivered after this many bytes of files were read.
    package var roundBytes = 8 << 20
    /// The most changes of one segment, and bytes of their bodies. A single change may be larger.
    package var pushLimit = PushLimit(changes: 10_000, bytes: 4 << 20)
    /// The most bytes in memory of all merged files, and of each.
    package var mergeBytes = 32 << 20
    package var mergePieceBytes = 256 << 10
    /// Items of one page.
    package var pageItems = 5_000
    /// Body bytes of one page.
    package var pageBytes = 8 << 20
    /// More own files than this are merged into a snapshot, not counting large ones.
    package var maxOwnFiles = 8
    /// The size of a large file, such as all segments of a long push except the last.
    package var largeBytes = 1 << 20
    /// Superseded entries and old tombstones are collected only once the folder has doubled and grown by this many
    /// bytes.
    package var collectBytes: Int64 = 1 << 20
    /// How far numbers jump if a store joins again without knowing which it had used.
    package var numberJump: Int64 = 1_000_000

    /// The default limits.
    package init() {}
}
