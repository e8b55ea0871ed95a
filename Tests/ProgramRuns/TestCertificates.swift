import Foundation

/// Certificates for test servers on loopback, valid until 2120, made once with `openssl ca`. They have no
/// value elsewhere, because their authorities are trusted only if a test names them.
public enum TestCertificates {
    /// The authority that signed `server` and `otherHost`.
    public static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBjjCCATSgAwIBAgIUQGfNF2HvjzIMf6vkNMt4V9eUnRwwCgYIKoZIzj0EAwIw
        JDEiMCAGA1UEAwwZRW50aXR5U3luYyB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEw
        MDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowJDEiMCAGA1UEAwwZRW50aXR5U3luYyB0
        ZXN0IGF1dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABG7ty3k3XVFP
        S3Fy/DO/5Ve80N1Fff8rvBhEwISbWRWsFqk2S/E0cjax8vizTdHnps8Qngt12ccH
        TTbmtHbMaRyjQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMB0G
        A1UdDgQWBBRorMvy7ec3cyd0vXGA6YnDyauRSjAKBggqhkjOPQQDAgNIADBFAiEA
        k5CHKFacOttdjsPYLaviNB2AxxC55L61kBwamF0Mx4QCIGvRYEOdNEfnMWVIrq+x
        1ZWGv3SGPb2/IxxOk4D1AfHC
        -----END CERTIFICATE-----

        """

    /// Another authority, which signed none of them.
    public static let otherAuthority = """
        -----BEGIN CERTIFICATE-----
        MIIBiDCCAS6gAwIBAgIUWPRH0s+/nwDAa1Dtoqk5jfo3psswCgYIKoZIzj0EAwIw
        ITEfMB0GA1UEAwwWQW5vdGhlciB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEwMDAw
        MDBaGA8yMTIwMDEwMTAwMDAwMFowITEfMB0GA1UEAwwWQW5vdGhlciB0ZXN0IGF1
        dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOSgzSfXaqjn3JJnGTHo
        XCGhoOYcK41kgm9mFNvYvRkejCjmP8FS7tYl+08ZuLxxV0OFkwW0BlXqkF68mqjp
        5cyjQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMB0GA1UdDgQW
        BBSZnbFLPv8x7oeotEsAZoNZIhzXjjAKBggqhkjOPQQDAgNIADBFAiA+4ZHeFnol
        XizmS81MO0hPRXOWDObGw4lAt74M9jwf6gIhAIBVSwIEBpnFGV8HviiDT0gxLWgU
        1zZe98cpkO+puPTg
        -----END CERTIFICATE-----

        """

    /// The certificate of `localhost` and `127.0.0.1`, with its key.
    public static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBojCCAUigAwIBAgIURT7ZMeDUw3DSVl3cGina44wKWEEwCgYIKoZIzj0EAwIw
        JDEiMCAGA1UEAwwZRW50aXR5U3luYyB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEw
        MDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowETEPMA0GA1UEAwwGc2VydmVyMFkwEwYH
        KoZIzj0CAQYIKoZIzj0DAQcDQgAEpuDQWm3sufF+Ql7WzX7Ocm02GsbPh6kwYoYQ
        c4NB6lIWbfSzXNjRFctcLlk9nBthErI8t9AU7xUWylWq3q9DXqNpMGcwGgYDVR0R
        BBMwEYIJbG9jYWxob3N0hwR/AAABMAkGA1UdEwQCMAAwHQYDVR0OBBYEFEnELo8z
        bUIrUzP5LsbpG+m20sfmMB8GA1UdIwQYMBaAFGisy/Lt5zdzJ3S9cYDpicPJq5FK
        MAoGCCqGSM49BAMCA0gAMEUCIAI3wx49kfbLvPyxrofom1DfHvMzAYNiPu4FBnnb
        jWeRAiEAsQKNGWC7sRK+6tqdUSu7EiDlDcL5xRoa4SraHz/7BZk=
        -----END CERTIFICATE-----
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKRUUQcHwvdSYq8LG
        RGN+29RS6clytSgpJy7DbPDzWROhRANCAASm4NBabey58X5CXtbNfs5ybTYaxs+H
        qTBihhBzg0HqUhZt9LNc2NEVy1wuWT2cG2ESsjy30BTvFRbKVarer0Ne
        -----END PRIVATE KEY-----

        """

    /// The certificate of `sync.example.org`, with its key.
    public static let otherHost = """
        -----BEGIN CERTIFICATE-----
        MIIBojCCAUigAwIBAgIUHSt53/ScHXEzxD5rWE2bTl7eTh4wCgYIKoZIzj0EAwIw
        JDEiMCAGA1UEAwwZRW50aXR5U3luYyB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEw
        MDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowEDEOMAwGA1UEAwwFb3RoZXIwWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAASa9TUyt9+G0yyHsp4rIGh0qegbgfaqJ2Ct3x1U
        9QyNacPb029/w+Li6zEXju6bJiTPN6LYbmnRz+K+R2etiIRLo2owaDAbBgNVHREE
        FDASghBzeW5jLmV4YW1wbGUub3JnMAkGA1UdEwQCMAAwHQYDVR0OBBYEFNOslVTB
        xi827dN+wq2OyRPn0P6SMB8GA1UdIwQYMBaAFGisy/Lt5zdzJ3S9cYDpicPJq5FK
        MAoGCCqGSM49BAMCA0gAMEUCICNbV5jB9GpjBmKvjM87kGgb8nki6urTaNEp6BJX
        uhMSAiEA0iLg3eAWUQGYg0bjKVuPWs0P9HI+/1eC4W2vgMg9x/4=
        -----END CERTIFICATE-----
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfMVw/3Smhum+Aee3
        xSZYIdkRQxHOUKyvKSlZn9yx8xmhRANCAASa9TUyt9+G0yyHsp4rIGh0qegbgfaq
        J2Ct3x1U9QyNacPb029/w+Li6zEXju6bJiTPN6LYbmnRz+K+R2etiIRL
        -----END PRIVATE KEY-----

        """

    /// A new temporary file with the given text. The system removes it.
    public static func file(text: String) throws -> String {
        let name = "entitysync-certificates-\(UUID().uuidString).pem"
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
