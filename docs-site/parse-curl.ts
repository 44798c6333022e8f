import type { SnippetRequest } from "@florin/server/app/docs/snippets.ts";

/**
 * Returns the API request of a code block that contains exactly one curl command. Returns null for any other code
 * block, which the page then shows unchanged. The info string `sh prints=embed_url` names the field of the response to
 * print.
 */
export function parseCurl(code: string, info = "sh"): SnippetRequest | null {
  const prints = /^sh prints=(\w+)$/.exec(info)?.[1];
  const words = wordsOf(code.trim().replaceAll("\\\n", " "));
  if (words?.[0] !== "curl") return null;
  let url: string | null = null;
  let method: SnippetRequest["method"] | null = null;
  let key: string | undefined;
  let body: unknown;
  for (let index = 1; index < words.length; index++) {
    const word = words[index] as string;
    if (word === "-g" || word === "-N") continue;
    if (word === "-H") {
      key = /^Idempotency-Key: (.+)$/.exec(words[++index] ?? "")?.[1] ?? key;
    } else if (word === "-X") method = words[++index] as SnippetRequest["method"];
    else if (word === "-d") body = JSON.parse(words[++index] as string);
    else if (url === null && word.startsWith("$FLORIN_URL/api/v1/")) url = word;
    else return null;
  }
  if (url === null) return null;
  const [path = "", query] = url.slice("$FLORIN_URL/api/v1".length).split("?");
  return {
    method: method ?? (body === undefined ? "GET" : "POST"),
    path,
    ...(query && { query: Object.fromEntries(new URLSearchParams(query)) }),
    ...(body !== undefined && { body }),
    ...(key !== undefined && { idempotencyKey: key }),
    ...(prints !== undefined && { prints }),
    responds: path.endsWith(".csv") ? "csv" : path.endsWith("/stream") ? "events" : "json",
  };
}

/** Splits a command at spaces outside quotes. Returns null for a command that uses other syntax of the shell. */
function wordsOf(command: string): string[] | null {
  const words: string[] = [];
  const pattern = /\s*("([^"]*)"|'([^']*)'|([^\s"'|;&<>]+))(?=\s|$)/gy;
  let end = 0;
  for (let found = pattern.exec(command); found; found = pattern.exec(command)) {
    words.push(found[2] ?? found[3] ?? found[4] ?? "");
    end = pattern.lastIndex;
  }
  return command.slice(end).trim() === "" ? words : null;
}
