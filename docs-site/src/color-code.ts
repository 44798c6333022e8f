import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";

const languages = { bash, go, java, javascript, json, php, python, typescript, xml };

/** Colors each code block when it is about to be shown, because the tabs of a page contain hundreds of blocks. */
export function colorCode(): void {
  for (const [name, language] of Object.entries(languages)) {
    highlighter.registerLanguage(name, language);
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        color(target as HTMLElement);
      }
    },
    { rootMargin: "400px" },
  );
  for (const code of document.querySelectorAll("code[data-language]")) observer.observe(code);
}

/** Colors a block again, for example after its text has changed. */
export function color(code: HTMLElement): void {
  const language = code.dataset.language ?? "";
  const text = code.textContent ?? "";
  if (!(language in languages)) return;
  code.replaceChildren(...nodesOf(highlighter.highlight(text, { language }).value));
}

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
  "&amp;": "&",
};

/**
 * Converts the output of the highlighter to nodes. The output consists of text and of `span` elements with a class.
 * Trusted Types do not allow the page to parse it as HTML.
 */
function nodesOf(html: string): Node[] {
  const top = document.createElement("span");
  let parent: Element = top;
  for (const piece of html.split(/(<span class="[^"]*">|<\/span>)/)) {
    const opened = /^<span class="([^"]*)">$/.exec(piece);
    if (opened) {
      const span = document.createElement("span");
      span.className = opened[1] ?? "";
      parent.append(span);
      parent = span;
    } else if (piece === "</span>") {
      parent = parent.parentElement ?? top;
    } else if (piece !== "") {
      parent.append(
        piece.replace(/&(lt|gt|quot|#x27|amp);/g, (entity) => entities[entity] ?? entity),
      );
    }
  }
  return [...top.childNodes];
}
