import assert from "node:assert/strict";
import { test } from "node:test";
import { amountCell, csvLine, mayBeginFormula, textCell, timeCell } from "./csv.ts";

test("a cell that begins like a formula is marked as text", () => {
  for (const text of [
    ...["=1+1", "+49 30", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"],
    ...["  =1+1", "\u00a0+1", "\u3000@SUM(A1)", "\ufeff-1", "\u2003=1"],
    ...["＝1+1", "＋1", "－1", "＠SUM(A1)"],
  ]) {
    const cell = textCell(text);
    assert.equal(cell, `'${text}`);
    assert.ok(mayBeginFormula(Buffer.from(text)[0] as number), JSON.stringify(text));
  }
  for (const text of ["a=1", " a", "§", "日本"]) assert.equal(textCell(text), text);
});

test("every cell is quoted, and commas, quotes and line breaks stay inside it", () => {
  assert.equal(
    csvLine(["a,b", 'say "x"', "two\nlines"].map(textCell)),
    '"a,b","say ""x""","two\nlines"\r\n',
  );
  assert.equal(csvLine([textCell("plain"), textCell(null), "1.50"]), '"plain","","1.50"\r\n');
});

test("amounts have the decimals of their currency, and times are in UTC", () => {
  assert.deepEqual(
    [amountCell(1999, "usd"), amountCell(5, "usd"), amountCell(1999, "jpy"), amountCell(-1, "kwd")],
    ["19.99", "0.05", "1999", "-0.001"],
  );
  for (const seconds of [0, 86_399, 86_400, 1_800_000_000, 1_800_000_001, 281_474_976_710]) {
    assert.equal(timeCell(seconds), new Date(seconds * 1000).toISOString());
  }
});
