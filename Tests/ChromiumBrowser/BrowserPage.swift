public import Foundation

/// A page in a browser.
public struct BrowserPage: Sendable {
    let pipe: DevToolsPipe
    let session: String

    /// Sends a command of the DevTools protocol to the page.
    @discardableResult
    func send(_ method: String, _ parameters: [String: Any] = [:]) async throws -> [String: Any] {
        try await pipe.send(method, parameters: parameters, session: session)
    }

    /// Sets the size in CSS pixels.
    public func resize(width: Int, height: Int) async throws {
        try await send(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600]
        )
    }

    /// Sets which colours the person prefers.
    public func useColors(isDark: Bool) async throws {
        let scheme = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
        try await send("Emulation.setEmulatedMedia", ["features": [scheme]])
    }

    /// Sets whether the page's own scripts run.
    public func allowScripts(_ isAllowed: Bool) async throws {
        try await send("Emulation.setScriptExecutionDisabled", ["value": !isAllowed])
    }

    /// Loads an address and waits until the page is there.
    public func load(_ url: String) async throws {
        try await send("Page.navigate", ["url": url])
        try await wait(for: "location.href !== 'about:blank' && document.readyState === 'complete'")
    }

    /// Waits until an expression is true, for at most half a minute.
    public func wait(for expression: String) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            // While a page is being replaced, it cannot answer.
            if (try? await value(of: expression)) as? Bool == true { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        let place = try await text(of: "location.href + ' ' + document.body?.innerText.slice(0, 400)")
        throw ChromiumBrowser.Failure(description: "This did not become true: \(expression)\non \(place)")
    }

    /// The JSON value of an expression, or of the promise that it gives.
    private func value(of expression: String) async throws -> Any? {
        let answer = try await send(
            "Runtime.evaluate",
            ["expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true]
        )
        if let details = answer["exceptionDetails"] as? [String: Any] {
            let exception = details["exception"] as? [String: Any]
            throw ChromiumBrowser.Failure(description: "\(exception?["description"] ?? details)")
        }
        return (answer["result"] as? [String: Any])?["value"]
    }

    /// The text of an expression; empty for any other value.
    public func text(of expression: String) async throws -> String {
        try await value(of: expression) as? String ?? ""
    }

    /// The texts of an expression that gives a list of them.
    public func texts(of expression: String) async throws -> [String] {
        guard let texts = try await value(of: expression) as? [String] else {
            throw ChromiumBrowser.Failure(description: "This is no list of texts: \(expression)")
        }
        return texts
    }

    /// The number of an expression.
    public func number(of expression: String) async throws -> Double {
        guard let number = try await value(of: expression) as? Double else {
            throw ChromiumBrowser.Failure(description: "This is no number: \(expression)")
        }
        return number
    }

    /// Presses a key, for example `Tab` or `Enter`.
    public func press(_ key: String) async throws {
        let codes = ["Tab": 9, "Enter": 13, " ": 32]
        var parameters: [String: Any] = ["key": key, "windowsVirtualKeyCode": codes[key] ?? 0]
        if key == "Enter" { parameters["text"] = "\r" }
        for type in ["keyDown", "keyUp"] {
            parameters["type"] = type
            try await send("Input.dispatchKeyEvent", parameters)
            parameters["text"] = nil
        }
    }

    /// Clicks the middle of the first element that a selector finds, as a mouse does. Waits until the page has come to
    /// rest, and nothing lies over the element.
    public func click(_ selector: String) async throws {
        let quoted = String(decoding: try JSONEncoder().encode(selector), as: UTF8.self)
        // NB: the page may have no timers, so this waits for it outside.
        let script = """
            (() => {
              const element = document.querySelector(\(quoted));
              if (!element || document.readyState !== 'complete') return [];
              element.scrollIntoView({ block: 'center', behavior: 'instant' });
              const box = element.getBoundingClientRect();
              const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
              return element.contains(document.elementFromPoint(x, y)) ? [String(x), String(y)] : [];
            })()
            """
        var last: [Double] = []
        for _ in 0..<100 {
            // While a page is being replaced, it cannot answer.
            let place = ((try? await texts(of: script)) ?? []).compactMap(Double.init)
            guard place.count == 2, place == last else {
                last = place
                try await Task.sleep(for: .milliseconds(100))
                continue
            }
            for type in ["mousePressed", "mouseReleased"] {
                try await send(
                    "Input.dispatchMouseEvent",
                    ["type": type, "x": place[0], "y": place[1], "button": "left", "clickCount": 1]
                )
            }
            return
        }
        throw ChromiumBrowser.Failure(description: "Nothing could be clicked: \(selector)")
    }

    /// A picture of the whole page as PNG.
    public func picture(maxHeight: Int = 12_000) async throws -> Data {
        let (width, height) = (
            try await number(of: "document.documentElement.clientWidth"),
            try await number(of: "document.documentElement.scrollHeight")
        )
        let clip: [String: Any] = [
            "x": 0, "y": 0, "width": width, "height": min(height, Double(maxHeight)), "scale": 1,
        ]
        let answer = try await send(
            "Page.captureScreenshot",
            ["format": "png", "captureBeyondViewport": true, "clip": clip]
        )
        return (answer["data"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
    }

    /// Roles and names of what assistive technology finds, for example `button Send it again`.
    public func accessibleNames() async throws -> [(role: String, name: String)] {
        try await send("Accessibility.enable")
        let nodes = try await send("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
        return nodes.compactMap { node in
            guard node["ignored"] as? Bool != true else { return nil }
            func value(_ name: String) -> String? { (node[name] as? [String: Any])?["value"] as? String }
            return value("role").map { ($0, value("name") ?? "") }
        }
    }
}
