import SyncPages

/// The script of the page: pages of long lists, a filter, copying, and news of a live store. Without it everything is
/// shown at once, and works.
enum InspectorScript {
    /// The script, with the digest by which the page allows it.
    static let shared = PageCode(
        hash: "sha256-OEkjDBh5R6NuWQOIFo2roIwuRgK6+gY3c/a3UUvqaRI=",
        text: code
    )

    private static let code: Markup = #"""
        (() => {
          "use strict";
          const pageSize = 20;
          const make = (name, text, properties) =>
            Object.assign(document.createElement(name), { textContent: text }, properties);
          const plural = (noun) => noun.endsWith("y") ? noun.slice(0, -1) + "ies" : noun + "s";

          function addCopyButtons(root) {
            for (const command of root.querySelectorAll("pre.command:not([data-ready])")) {
              command.dataset.ready = "";
              const button = make("button", "Copy", { type: "button" });
              button.append(make("span", " the command", { className: "sr" }));
              button.addEventListener("click", () => copy(command.querySelector("code"), button));
              command.append(button);
            }
          }

          async function copy(code, button) {
            try {
              await navigator.clipboard.writeText(code.textContent);
              say("Copied.", button);
            } catch {
              getSelection().selectAllChildren(code);
              say("Selected: copy it with the keyboard.", button);
            }
          }

          const voice = make("p", "", { className: "sr" });
          voice.setAttribute("role", "status");
          document.body.append(voice);
          function say(text, button) {
            voice.textContent = text;
            const before = button.firstChild.textContent;
            if (before !== "Copy") return;
            button.firstChild.textContent = text === "Copied." ? "Copied" : "Selected";
            setTimeout(() => { button.firstChild.textContent = "Copy"; }, 2000);
          }

          function page(list) {
            const items = Array.from(list.children);
            if (items.length <= pageSize) return addCopyButtons(list);
            const nouns = plural(list.dataset.noun);
            const bar = make("div", "", { className: "pager" });
            const label = make("label", "Filter " + nouns);
            const input = make("input", "", { type: "search", autocomplete: "off" });
            const back = make("button", "Previous", { type: "button" });
            const next = make("button", "Next", { type: "button" });
            for (const button of [back, next]) button.append(make("span", " " + nouns, { className: "sr" }));
            const place = make("p", "");
            place.setAttribute("role", "status");
            label.append(input);
            bar.append(label, back, next, place);
            list.before(bar);
            let found = items, start = 0;
            const texts = new Map();
            const text = (item) => {
              if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
              return texts.get(item);
            };
            function show() {
              const shown = new Set(found.slice(start, start + pageSize));
              for (const item of items) item.hidden = !shown.has(item);
              for (const item of shown) addCopyButtons(item);
              back.disabled = start === 0;
              next.disabled = start + pageSize >= found.length;
              const end = Math.min(start + pageSize, found.length);
              place.textContent = found.length === 0 ? "None found" : (start + 1) + " to " + end + " of " + found.length;
            }
            back.addEventListener("click", () => { start = Math.max(0, start - pageSize); show(); });
            next.addEventListener("click", () => { start += pageSize; show(); });
            input.addEventListener("input", () => {
              const words = input.value.toLowerCase();
              found = words === "" ? items : items.filter((item) => text(item).includes(words));
              start = 0;
              show();
            });
            list.addEventListener("reveal", (event) => {
              const index = items.indexOf(event.detail);
              if (index < 0 || !event.detail.hidden) return;
              input.value = "";
              found = items;
              start = index - index % pageSize;
              show();
            });
            show();
          }

          function reveal() {
            const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
            const item = target && target.closest(".item");
            if (!item) return;
            item.parentElement.dispatchEvent(new CustomEvent("reveal", { detail: item }));
            item.scrollIntoView();
          }

          for (const list of document.querySelectorAll(".items")) page(list);
          addCopyButtons(document);
          addEventListener("hashchange", reveal);
          if (location.hash) reveal();

          const version = document.body.dataset.version;
          if (version !== undefined) {
            const note = make("div", "", { className: "news" });
            note.setAttribute("role", "status");
            document.getElementById("main").prepend(note);
            let isTold = false;
            const look = async () => {
              if (isTold || document.hidden) return;
              let text = "The store has changed since this page was made.";
              try {
                const answer = await fetch("/version", { cache: "no-store" });
                if (answer.ok && (await answer.text()) === version) return;
                if (!answer.ok) text = "This page may no longer ask for the store; start the command again.";
              } catch {
                text = "The command that serves this page has ended; what is shown may be old.";
              }
              isTold = true;
              const line = make("p", text + " ", { className: "notice" });
              line.append(make("a", "Load the page again", { href: "/" }));
              note.append(line);
            };
            setInterval(look, 2000);
          }
        })();
        """#
}
