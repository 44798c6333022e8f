import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type EvidenceField, evidenceLabels } from "@florin/contract/evidence-fields.ts";
import { moneyText } from "../../core/money.ts";
import type { DisputeResponse, DocumentLimits, EvidenceFile } from "../processor.ts";
import { appendFiles } from "./evidence-files.ts";
import { type PlacedLine, writePdf } from "./pdf-file.ts";
import { readTrueTypeFont, type TrueTypeFont } from "./true-type-font.ts";

export type EvidenceDocument =
  | { readonly kind: "document"; readonly pdf: Buffer; readonly pages: number }
  | { readonly kind: "too_long"; readonly problem: string };

/** A4, in points. */
const pageSize = { width: 595, height: 842 };
const margin = 40;
const lineHeight = 1.25;

/**
 * The font sizes to try, in points. The text is set in the largest size at which it fits on the allowed number of
 * pages.
 */
const fontSizes = [10, 9, 8, 7, 6];

/**
 * Renders the response to a dispute as a PDF: the texts and, on the pages after them, the files. Characters without a
 * glyph in the font are shown as �. Right-to-left text is written in its logical order.
 */
export async function renderEvidence({
  response,
  limits,
}: {
  readonly response: Omit<DisputeResponse, "account">;
  readonly limits: DocumentLimits;
}): Promise<EvidenceDocument> {
  const { answer } = response;
  const files = answer.kind === "evidence" ? answer.files : [];
  const filePages = files.reduce((sum, file) => sum + file.pages, 0);
  if (filePages >= limits.maxPages) {
    return tooLong(
      `The files have ${filePages} pages, but the evidence may have at most ${limits.maxPages} pages including its text. Remove pages or files.`,
    );
  }
  const texts = renderTexts(response, files, limits.maxPages - filePages);
  if (texts.kind === "too_long") return texts;
  const pdf = files.length === 0 ? texts.pdf : Buffer.from(await appendFiles(texts.pdf, files));
  if (pdf.length <= limits.maxBytes) {
    return { kind: "document", pdf, pages: texts.pages + filePages };
  }
  const limit = `${Math.floor(limits.maxBytes / 1024)} KiB`;
  return tooLong(
    files.length === 0
      ? `The evidence is larger than ${limit}. Shorten it.`
      : `The evidence is larger than ${limit}. Remove files, or upload smaller ones.`,
  );
}

function tooLong(problem: string): EvidenceDocument {
  return { kind: "too_long", problem };
}

/** Renders the texts, and a list of the files that follow them. */
function renderTexts(
  { charge, price, reason, answer }: Omit<DisputeResponse, "account">,
  files: readonly EvidenceFile[],
  maxPages: number,
): EvidenceDocument {
  const title = `Response to the dispute of payment ${charge}`;
  const facts = `Payment: ${charge}\nDisputed amount: ${moneyText(price.amountMinor, price.currency)}\nReason: ${reason.replaceAll("_", " ")}`;
  const sections: Section[] = [
    { heading: title, text: facts },
    ...sectionsOf(answer),
    ...(files.length === 0 ? [] : [{ heading: "Attached files", text: listOf(files) }]),
  ];
  let pages = 0;
  for (const size of fontSizes) {
    const laidOut = layOut(sections, size, charge);
    pages = laidOut.pages.length;
    if (pages > maxPages) continue;
    const pdf = writePdf({ title, pageSize, font: loadFont(), ...laidOut });
    return { kind: "document", pdf, pages };
  }
  return tooLong(
    `The text of the evidence has ${pages} pages in the smallest font, but it may have at most ${maxPages}. Shorten it.`,
  );
}

function listOf(files: readonly EvidenceFile[]): string {
  return files
    .map(({ name, pages }, index) => {
      return `${index + 1}. ${name} (${pages} ${pages === 1 ? "page" : "pages"})`;
    })
    .join("\n");
}

type Section = { readonly heading: string; readonly text: string };

function sectionsOf(answer: DisputeResponse["answer"]): Section[] {
  if (answer.kind !== "evidence") {
    return [{ heading: "Refund", text: "The merchant has refunded the payment in full." }];
  }
  return Object.entries(evidenceLabels).flatMap(([name, heading]) => {
    const text = answer.evidence[name as EvidenceField];
    return text === undefined ? [] : [{ heading, text }];
  });
}

let loadedFont: TrueTypeFont | null = null;

/** Reads the font when the first document is rendered, because most processes render none. */
function loadFont(): TrueTypeFont {
  if (loadedFont) return loadedFont;
  const { resolve } = createRequire(import.meta.url);
  const file = readFileSync(resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf"));
  loadedFont = readTrueTypeFont(file);
  return loadedFont;
}

type TextLine = { readonly glyphs: readonly number[]; readonly size: number };

/** Breaks the sections into lines and the lines into pages. */
function layOut(sections: readonly Section[], size: number, footer: string) {
  const font = loadFont();
  const textOf = new Map<number, string>();
  const headingSize = size + 2;
  const lines: (TextLine | "gap")[] = sections.flatMap(({ heading, text }, index) => [
    ...(index === 0 ? [] : ["gap" as const]),
    ...breakText(font, textOf, heading, headingSize),
    ...breakText(font, textOf, text, size),
  ]);
  const pages: PlacedLine[][] = [];
  let y = 0;
  for (const line of lines) {
    const height = (line === "gap" ? size : line.size) * lineHeight;
    // The last line of a page is kept free for the footer.
    if (pages.length === 0 || y - height < margin + size * lineHeight) {
      pages.push([]);
      y = pageSize.height - margin;
      if (line === "gap") continue;
    }
    y -= height;
    if (line !== "gap") pages.at(-1)?.push({ ...line, x: margin, y });
  }
  for (const [index, page] of pages.entries()) {
    const text = `${footer} · Page ${index + 1} of ${pages.length}`;
    const { glyphs } = breakText(font, textOf, text, size)[0] as TextLine;
    page.push({ glyphs, size, x: margin, y: margin });
  }
  return { pages, textOf };
}

/** Breaks a text into lines at spaces. A word that is wider than the page is broken between characters. */
function breakText(
  font: TrueTypeFont,
  textOf: Map<number, string>,
  text: string,
  size: number,
): TextLine[] {
  const space = font.glyphOf(0x20);
  const maxWidth = ((pageSize.width - 2 * margin) * font.unitsPerEm) / size;
  const lines: TextLine[] = [];
  for (const paragraph of printable(text).split("\n")) {
    let glyphs: number[] = [];
    let width = 0;
    let breakAt = -1;
    for (const character of paragraph) {
      const glyph = glyphFor(font, character, textOf);
      if (glyph === space) breakAt = glyphs.length;
      glyphs.push(glyph);
      width += font.widthOf(glyph);
      if (width <= maxWidth || glyph === space) continue;
      const kept = breakAt > 0 ? breakAt : glyphs.length - 1;
      lines.push({ glyphs: glyphs.slice(0, kept), size });
      glyphs = glyphs.slice(breakAt > 0 ? kept + 1 : kept);
      width = glyphs.reduce((sum, each) => sum + font.widthOf(each), 0);
      breakAt = glyphs.lastIndexOf(space);
    }
    lines.push({ glyphs, size });
  }
  return lines;
}

function glyphFor(font: TrueTypeFont, character: string, textOf: Map<number, string>): number {
  const known = font.glyphOf(character.codePointAt(0) as number);
  const shown = known === 0 ? "\uFFFD" : character;
  const glyph = known === 0 ? font.glyphOf(0xfffd) : known;
  if (!textOf.has(glyph)) textOf.set(glyph, shown);
  return glyph;
}

/** Returns the text with composed characters and without control characters. A tab becomes spaces. */
function printable(text: string): string {
  return text
    .normalize("NFC")
    .replace(/\r\n?|\u2028|\u2029/g, "\n")
    .replaceAll("\t", "    ")
    .replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, "");
}
