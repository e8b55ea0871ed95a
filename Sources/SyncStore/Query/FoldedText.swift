import Foundation
import SyncCore

/// Texts without the differences that a search ignores.
enum FoldedText {
    /// The function's name in SQL: `sync_folded(text, options)`.
    static let function = "sync_folded"

    /// A text as searches compare it.
    static func folded(_ text: String, ignoring folding: StoreQuery.TextFolding) -> String {
        var text = text
        if folding.contains(.diacritics), !text.utf8.allSatisfy({ $0 < 0x80 }) {
            let scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
            text = String(
                String.UnicodeScalarView(scalars.filter { $0.properties.generalCategory != .nonspacingMark })
            )
        }
        return folding.contains(.letterCase) ? text.lowercased() : text
    }
}
