/// The name under which a folder lists a file that is in the cloud and not on this disk: `.name.icloud`.
///
/// Systems before macOS 14 and iOS 17 have a file of that name in its place. Later ones have the file itself without its
/// data; it is listed under the same name, as a read would wait for its download without an end.
package enum CloudPlaceholder {
    /// The name of a file's placeholder.
    package static func name(of file: String) -> String { ".\(file).icloud" }

    /// The name of the file for which a placeholder stands; nil if the name is not one of a placeholder.
    package static func file(name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(".icloud"), name.utf8.count > 8 else { return nil }
        return String(name.dropFirst().dropLast(7))
    }
}
