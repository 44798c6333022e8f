import { parseSync } from "vite";
import type { Source } from "./source-tree.ts";

export type Comment = { readonly line: number; readonly text: string };

/** Returns the comments of a file. Consecutive `//` lines are one comment. */
export function commentsOf({ path, text }: Pick<Source, "path" | "text">): Comment[] {
  const comments: { line: number; lastLine: number; text: string }[] = [];
  for (const { type, value, start } of parseSync(path, text).comments) {
    const line = text.slice(0, start).split("\n").length;
    const words = value
      .split("\n")
      .map((part) => part.replace(/^\s*\*+\s?/, "").trim())
      .join(" ")
      .trim();
    const previous = comments.at(-1);
    if (type === "Line" && previous?.lastLine === line - 1) {
      previous.text += ` ${words}`;
      previous.lastLine = line;
    } else {
      comments.push({ line, lastLine: type === "Line" ? line : -1, text: words });
    }
  }
  return comments.map(({ line, text: words }) => ({ line, text: words }));
}
