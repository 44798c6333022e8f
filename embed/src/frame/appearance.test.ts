import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import fc from "fast-check";
import { parseFrameMessage } from "../protocol/parse-message.ts";
import { propertyOf, readAppearance, rejectedMessage, themes, tokens } from "./appearance.ts";

test("supported appearance options become plain CSS declarations", () => {
  const given = {
    theme: "night",
    accent: "#0B5D45",
    text: "oklch(0.93 0.02 80deg / 90%)",
    surface: "rebeccapurple",
    radius: "12px",
    fontSize: "1.0625rem",
    labelWeight: "600",
    font: "Inter, 'Helvetica Neue', sans-serif",
  };
  const { theme, tokens: accepted, rejected } = readAppearance(given);
  const { theme: _, ...rest } = given;
  assert.deepEqual([theme, accepted, rejected], ["night", rest, []]);
  assert.equal(propertyOf("fieldBorderHover"), "--field-border-hover");
});

test("options that could load, cover, hide or shrink content are rejected by name", () => {
  const invalid: [string, string][] = [
    ["accent", "url(https://evil.example/x)"],
    ["accent", "var(--x)"],
    ["accent", "red;background:url(//evil.example)"],
    ["accent", "rgb(0 0 0); color: red"],
    ["accent", "image-set('x')"],
    ["font", "x; background: url(//evil.example)"],
    ["font", "url(//evil.example)"],
    ["fieldHeight", "4px"],
    ["fontSize", "9px"],
    ["radius", "calc(1px)"],
    ["radius", "-4px"],
    ["labelWeight", "1000"],
    ["position", "fixed"],
    ["__proto__", "#fff"],
    ["toString", "#fff"],
    ["theme", "loud"],
  ];
  for (const [name, value] of invalid) {
    const { tokens: accepted, rejected } = readAppearance(Object.fromEntries([[name, value]]));
    assert.deepEqual([accepted, rejected], [{}, [name]], `${name}: ${value}`);
  }
});

test("the message about rejected options names at most five, so that it is never too long for the bridge", () => {
  assert.equal(
    rejectedMessage(["accent", "radius"]),
    "Invalid appearance options: accent, radius. Correct their names or values.",
  );
  const message = rejectedMessage(Array.from({ length: 40 }, () => "n".repeat(32)));
  assert.match(message, / and 35 more\. /);
  assert.ok(parseFrameMessage({ type: "error", code: "appearance_invalid", message }));
});

test("no accepted value can end a declaration or call a function other than a color function", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(tokens)),
      fc.string({ maxLength: 60 }),
      (name, value) => {
        const { tokens: accepted } = readAppearance({ [name]: value });
        for (const acceptedValue of Object.values(accepted))
          assert.doesNotMatch(acceptedValue, /[;{}\\@]|(url|var|set)\(/i);
      },
    ),
    { numRuns: 2000 },
  );
});

test("the guide documents every token and every theme", async () => {
  const guide = await readFile(
    new URL("../../../docs/guides/card-form.md", import.meta.url),
    "utf8",
  );
  const missing = [...Object.keys(tokens), ...themes].filter(
    (name) => !guide.includes(`\`${name}\``),
  );
  assert.deepEqual(missing, []);
});
