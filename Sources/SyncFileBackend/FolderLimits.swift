package import SyncCore

/// Limits of reading and writing a folder.
package struct FolderLimits: Sendable {
    /// A larger file is not read, and none is written.
    package var maxFileBytes = 1 << 30
    /// A larger file is read in pieces of this size; one entry alone may be larger.
    package var pieceBytes = 8 << 20
    /// What is new is handed on once this many bytes of files were read.
    package var roundBytes = 8 << 20
    /// The most changes, and bytes of their bodies, of one segment; one change alone may be larger.
    package var pushLimit = PushLimit(changes: 10_000, bytes: 4 << 20)
    /// The most bytes that are held of all files that are merged, and of each.
    package var mergeBytes = 32 << 20
    package var mergePieceBytes = 256 << 10
    /// Items of one page.
    package var pageItems = 5_000
    /// Body bytes of one page.
    package var pageBytes = 8 << 20
    /// More own files than this are merged into a snapshot, large ones not counted.
    package var maxOwnFiles = 8
    /// A file of this many bytes is large, as all segments of a long push are but the last.
    package var largeBytes = 1 << 20
    /// Entries of other devices are looked through for tombstones that may go only once the folder has doubled, and
    /// has grown by this many bytes.
    package var collectBytes: Int64 = 1 << 20
    /// How far numbers jump when a store joins again and does not know what it had used.
    package var numberJump: Int64 = 1_000_000

    /// The usual ones.
    package init() {}
}
