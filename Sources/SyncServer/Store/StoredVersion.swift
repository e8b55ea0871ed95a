package import SyncCore

/// The present version of a record, without its entry.
package struct StoredVersion: Sendable {
    /// Its revision as a number.
    package var number: Int64
    /// The tag of the run that contains the revision.
    package var run: String
    /// The version's edit timestamp as it was stored.
    package var editTimestamp: EditTimestamp
    /// The version's edit timestamp as it was sent.
    package var pushed: EditTimestamp
    /// The version vector as text.
    package var vector: String
    /// The size of its entry.
    package var entryBytes: Int

    /// Makes a version as read from a store.
    package init(
        number: Int64,
        run: String,
        editTimestamp: EditTimestamp,
        pushed: EditTimestamp,
        vector: String,
        entryBytes: Int
    ) {
        (self.number, self.run, self.vector, self.entryBytes) = (number, run, vector, entryBytes)
        (self.editTimestamp, self.pushed) = (editTimestamp, pushed)
    }

    /// The revision as clients name it.
    var revision: Revision { Self.revision(number: number, run: run) }

    /// The name of a revision: its number and the run that issued it.
    static func revision(number: Int64, run: String) -> Revision { Revision(String(number) + "-" + run) }

    /// The size of an entry with its revision.
    static func answerBytes(revision: Revision, entryBytes: Int) -> Int {
        entryBytes + revision.text.utf8.count + #"{"revision":"","#.utf8.count - 1
    }

    /// An entry with its revision inserted in front. Entries begin with `{"entity"`.
    static func answer(revision: Revision, entry: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array("{\"revision\":\"\(revision.text)\",".utf8)
        bytes.reserveCapacity(bytes.count + entry.count)
        bytes.append(contentsOf: entry.dropFirst())
        return bytes
    }
}
