import Foundation
import SyncCore
import SyncHTTPBackend
import Testing

@Suite(.timeLimit(.minutes(2))) struct URLSessionTransportTests {
    @Test func lab() async throws {
        func trial(_ name: String, url: String? = nil, max: Int = 1 << 20, seconds: Double = 5, _ script: @escaping RawServer.Script) async {
            let server = try! RawServer(script)
            let transport = URLSessionTransport()
            for method in ["GET", "POST"] {
            do {
                let answer = try await transport.send(HTTPRequest(method: method, url: (url ?? server.url) + "/x", headers: [HTTPHeader("X-A", "b")], body: method == "POST" ? Array("hello".utf8) : [], maxResponseBytes: max, timeoutSeconds: seconds))
                print("LAB", name, method, answer.status, answer.headers.map { "\($0.name): \($0.value)" }, answer.body.count)
            } catch { print("LAB", name, method, "threw", error) }
            }
            if name == "ok" { print(server.requests, server.connections) }
        }
        await trial("401 basic") { _, c in c.write("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 5\r\n\r\nhello") }
        let tls = try RawServer(greeting: "HTTP/1.1 400 No\r\n\r\n") { _, c in false }
        let transport = URLSessionTransport()
        do { _ = try await transport.send(HTTPRequest(method: "GET", url: "https://127.0.0.1:7443/", maxResponseBytes: 1000, timeoutSeconds: 3)) } catch { print("LAB tls self signed", error) }
        do { _ = try await transport.send(HTTPRequest(method: "GET", url: "https://127.0.0.1:\(tls.port)/", maxResponseBytes: 1000, timeoutSeconds: 3)) } catch { print("LAB tls", error) }
        do { _ = try await transport.send(HTTPRequest(method: "GET", url: "https://127.0.0.1:\(try RawServer.closedPort())/", maxResponseBytes: 1000, timeoutSeconds: 3)) } catch { print("LAB tls refused", error) }
    }
}
