import assert from "node:assert/strict";
import { test } from "node:test";
import { contrastOf } from "@florin/contract/color-contrast.ts";
import { colorStylesheet, colorsIn, stylesheetName } from "./color-stylesheet.ts";

test("the name of a stylesheet contains its colors, and other names are invalid", () => {
  for (const colors of [
    { brandColor: "#0b5d45", backgroundColor: "#f4f5f3" },
    { brandColor: null, backgroundColor: "#f4f5f3" },
    { brandColor: "#0b5d45", backgroundColor: null },
  ]) {
    assert.deepEqual(colorsIn(stylesheetName(colors) ?? ""), colors);
  }
  assert.equal(stylesheetName({ brandColor: null, backgroundColor: null }), null);
  for (const name of ["0b5d45.css", "0B5D45-none.css", "red-none.css", "0b5d45-none.css}a{"]) {
    assert.equal(colorsIn(name), null, name);
  }
});

test("buttons are visible on each surface, and their text is readable on them", () => {
  for (const brandColor of ["#000000", "#0b5d45", "#7a1fa2", "#d9480f", "#949494"]) {
    const css = colorStylesheet({ brandColor, backgroundColor: null });
    const surfaces = ["#ffffff", "#171b19", "#151a24"];
    const accents = [...css.matchAll(/--accent:(#\w+);--accent-text:(#\w+);--accent-ink:(#\w+)/g)];
    assert.equal(accents.length, surfaces.length);
    for (const [place, surface] of surfaces.entries()) {
      const [, accent = "", text = "", ink = ""] = accents[place] ?? [];
      assert.ok(contrastOf(accent, surface) >= 3, `${brandColor} on ${surface}`);
      assert.ok(contrastOf(text, accent) >= 4.5, `text on ${accent}`);
      assert.ok(contrastOf(ink, surface) >= 4.5, `${ink} on ${surface}`);
    }
  }
});

test("the dark color scheme ignores a light background and keeps a dark one", () => {
  const light = colorStylesheet({ brandColor: null, backgroundColor: "#f7f2ea" });
  assert.match(light, /^@media not \(prefers-color-scheme:dark\)\{.*\.summary\{.*\}\}\n$/s);
  const dark = colorStylesheet({ brandColor: null, backgroundColor: "#102030" });
  assert.doesNotMatch(dark, /@media/);
});

test("the summary on a dark background has light text", () => {
  const css = colorStylesheet({ brandColor: null, backgroundColor: "#102030" });
  assert.match(css, /body\{background:#102030\}/);
  assert.match(css, /\.summary\{color:#ffffff;/);
  assert.doesNotMatch(css, /data-theme/);
});
