import assert from "node:assert/strict";
import { test } from "node:test";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import { downloadName } from "./uploaded-document.ts";

const called = (fileName: string, mediaType: DocumentMediaType = "application/pdf") => ({
  fileName,
  mediaType,
});

test("a document keeps its file name", () => {
  assert.equal(downloadName(called("Führerschein Ada.PDF")), "Führerschein Ada.PDF");
  assert.equal(downloadName(called("scan.jpg", "image/jpeg")), "scan.jpg");
});

test("the file name has the extension of the real type and no path", () => {
  const names = {
    "passport.bat": "passport.bat.pdf",
    "passport.pdf.html": "passport.pdf.html.pdf",
    "\u202Efdp.hta": "_fdp.hta.pdf",
    "../../.bashrc": "__.._.bashrc.pdf",
    "C:\\start\\x.pdf": "C__start_x.pdf",
    "x\r\ny.pdf": "x__y.pdf",
    "x.pdf\u0000.pdf": "x.pdf_.pdf",
  };
  for (const [given, stored] of Object.entries(names))
    assert.equal(downloadName(called(given)), stored);
});
