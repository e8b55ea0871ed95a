/// What any page must keep so that everybody can use it. Each check returns what it found wrong; nothing if all is well.
extension BrowserPage {
    /// A function of the page: its texts that can be seen, with their elements, but for those in elements to leave out.
    private static let visible = """
        const visible = function* (left) {
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const element = walker.currentNode.parentElement;
            const words = walker.currentNode.data.trim();
            if (!words || ['SCRIPT', 'STYLE', 'TITLE', 'DESC'].includes(element.tagName.toUpperCase())) continue;
            if (element.checkVisibility() && !element.closest(left)) yield [walker.currentNode, element, words];
          }
        };
        """

    /// All checks together.
    public func problems() async throws -> [String] {
        try await nameless() + headings() + contrast() + overflow() + cut() + structure()
    }

    /// Controls and pictures without a name.
    public func nameless() async throws -> [String] {
        let roles: Set = [
            "button", "link", "textbox", "searchbox", "combobox", "image", "img", "heading", "table",
            "navigation",
            "region", "DisclosureTriangle", "checkbox", "SvgRoot", "graphics-document",
        ]
        return try await accessibleNames().compactMap { role, name in
            roles.contains(role) && name.allSatisfy(\.isWhitespace) ? "a \(role) has no name" : nil
        }
    }

    /// Headings that skip a level, and pages without one heading of the first level.
    public func headings() async throws -> [String] {
        try await texts(
            of: """
                (() => {
                  const found = [];
                  const levels = [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((h) => Number(h.tagName[1]));
                  if (levels.filter((level) => level === 1).length !== 1) found.push('there is not one h1');
                  if (levels[0] !== 1) found.push('the first heading is no h1');
                  levels.forEach((level, index) => {
                    if (index > 0 && level > levels[index - 1] + 1) found.push('a heading skips to level ' + level);
                  });
                  return found;
                })()
                """
        )
    }

    /// Texts whose contrast is less than 4.5 to 1, or 3 to 1 where they are large.
    public func contrast() async throws -> [String] {
        try await texts(
            of: """
                (() => {
                  \(Self.visible)
                  const parts = (color) => {
                    const numbers = (color.match(/[0-9.]+/g) || []).map(Number);
                    return numbers.length > 3 ? numbers : [...numbers, 1];
                  };
                  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
                  const light = (color) => {
                    const [r, g, b] = color.slice(0, 3).map((v) => v / 255)
                      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                  };
                  const ratio = (a, b) => {
                    const [x, y] = [light(a), light(b)].sort((left, right) => right - left);
                    return (x + 0.05) / (y + 0.05);
                  };
                  const ground = (element) => {
                    const layers = [];
                    for (let e = element; e; e = e.parentElement) layers.push(parts(getComputedStyle(e).backgroundColor));
                    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
                    return layers.reverse().reduce((below, top) => over(top, below), dark ? [0, 0, 0, 1] : [255, 255, 255, 1]);
                  };
                  const found = new Set();
                  for (const [node, element, words] of visible('.sr,.skip,thead,:disabled')) {
                    const style = getComputedStyle(element);
                    const size = parseFloat(style.fontSize);
                    const isLarge = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
                    const below = ground(element);
                    const color = parts(element instanceof SVGElement ? style.fill : style.color);
                    const value = ratio(over(color, below), below);
                    if (value < (isLarge ? 3 : 4.5)) found.add('contrast ' + value.toFixed(2) + ': ' + words.slice(0, 40));
                  }
                  return [...found];
                })()
                """
        )
    }

    /// Whether the page has to be moved sideways, and by what.
    public func overflow() async throws -> [String] {
        try await texts(
            of: """
                (() => {
                  const width = document.documentElement.clientWidth;
                  if (document.documentElement.scrollWidth <= width) return [];
                  return [...document.querySelectorAll('body *')]
                    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > width + 1)
                    .slice(0, 5).map((element) => 'wider than the page: ' + element.tagName + '.' + element.className);
                })()
                """
        )
    }

    /// Texts of which a part cannot be seen without moving something sideways. Titles may be shortened.
    public func cut() async throws -> [String] {
        try await texts(
            of: """
                (() => {
                  \(Self.visible)
                  const found = new Set();
                  for (const [node, element, words] of visible('.sr,.skip,.title,thead,select')) {
                    let [left, right] = [0, document.documentElement.clientWidth];
                    for (let e = element; e && e !== document.body; e = e.parentElement) {
                      if (getComputedStyle(e).overflowX === 'visible' || e instanceof SVGElement) continue;
                      const box = e.getBoundingClientRect();
                      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
                    }
                    const range = document.createRange();
                    range.selectNodeContents(node);
                    const isCut = [...range.getClientRects()]
                      .some((box) => box.width > 0 && (box.left < left - 1 || box.right > right + 1));
                    if (isCut) found.add('cut: ' + words.slice(0, 40));
                  }
                  return [...found];
                })()
                """
        )
    }

    /// Landmarks, language, title, and headers of tables.
    public func structure() async throws -> [String] {
        try await texts(
            of: """
                (() => {
                  const found = [];
                  const has = (selector) => document.querySelectorAll(selector).length === 1;
                  if (!document.documentElement.lang) found.push('the page has no language');
                  if (!document.title) found.push('the page has no title');
                  for (const name of ['main', 'header', 'footer']) if (!has(name)) found.push('there is not one ' + name);
                  for (const table of document.querySelectorAll('table')) {
                    if (!table.caption) found.push('a table has no caption');
                    if (!table.querySelector('th[scope=col]')) found.push('a table has no column headers');
                    for (const row of table.tBodies[0].rows) {
                      if (!row.querySelector('th[scope=row]')) found.push('a row of a table has no header');
                    }
                  }
                  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
                  if (new Set(ids).size !== ids.length) found.push('an id is there twice');
                  return found;
                })()
                """
        )
    }
}
