import Foundation

/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }

    /// Nil for text that is no base64.
    ///
    /// The form is checked here, because the system's decoder takes some texts with a wrong number of `=`, and others
    /// elsewhere do not: all devices and databases must give the same verdict.
    static func decode(_ text: String) -> [UInt8]? {
        let bytes = text.utf8
        let padding = bytes.suffix(2).count { $0 == UInt8(ascii: "=") }
        guard bytes.count % 4 == 0, bytes.dropLast(padding).allSatisfy({ $0 != UInt8(ascii: "=") }) else {
            return nil
        }
        return Data(base64Encoded: text).map { [UInt8]($0) }
    }
}
