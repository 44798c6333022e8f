import assert from "node:assert/strict";
import { test } from "node:test";
import {
  contrastOf,
  minButtonContrast,
  minTextContrast,
  textColorOn,
  withContrast,
} from "./color-contrast.ts";

test("the contrast is the ratio that WCAG defines, in either order", () => {
  assert.equal(contrastOf("#000000", "#ffffff"), 21);
  assert.equal(contrastOf("#FFFFFF", "#ffffff"), 1);
  assert.equal(contrastOf("#777777", "#ffffff").toFixed(2), "4.48");
  assert.equal(contrastOf("#ffffff", "#777777").toFixed(2), "4.48");
});

test("text is readable on every color", () => {
  const steps = ["00", "33", "66", "99", "cc", "ff"];
  for (const red of steps) {
    for (const green of steps) {
      for (const blue of steps) {
        const color = `#${red}${green}${blue}`;
        assert.ok(contrastOf(textColorOn(color), color) >= minTextContrast, color);
      }
    }
  }
});

test("a color changes only as far as the contrast requires, and keeps its hue", () => {
  assert.equal(withContrast("#0b5d45", "#ffffff", minTextContrast), "#0b5d45");
  const lighter = withContrast("#0b2d25", "#171b19", minButtonContrast);
  assert.ok(contrastOf(lighter, "#171b19") >= minButtonContrast);
  assert.ok(contrastOf(lighter, "#171b19") < minButtonContrast + 0.2, lighter);
  assert.equal(withContrast("#ffffff", "#ffffff", 21), "#000000");
});
