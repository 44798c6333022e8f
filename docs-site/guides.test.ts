import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chargeFilters } from "@florin/contract/charge.ts";
import { tagDescriptions } from "@florin/contract/operation-descriptions.ts";
import { attemptFailures } from "@florin/contract/webhook-endpoint.ts";
import { searchIndex } from "@florin/server/app/docs/docs-index.ts";
import { guides } from "./build.ts";
import { parseCurl } from "./parse-curl.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { resultsOf, searchIndexOf } from "./search-index.ts";

const { groups, pages } = guides();
const byPath = new Map(pages.map((page) => [page.path, page]));
/** The pages that the service renders. A separate test checks links to the fragments of these pages. */
const apiPaths = [
  "api",
  ...[...Object.keys(tagDescriptions), "objects", "errors", "declines", "test-cards"].map(
    (name) => `api/${name}`,
  ),
];

test("every link of the guides and of the start page resolves to a page and a section", () => {
  let count = 0;
  for (const { path, body } of pages) {
    for (const [, href = ""] of body.matchAll(/href="(\/docs[^"]*|#[^"]+)"/g)) {
      const [address = "", fragment] = href.split("#");
      const target = address === "" ? path : address.replace(/^\/docs\/?/, "");
      count++;
      if (apiPaths.includes(target)) continue;
      const page = byPath.get(target) ?? assert.fail(`${path} links to ${href}`);
      if (fragment) assert.ok(page.body.includes(`id="${fragment}"`), `${path} links to ${href}`);
    }
  }
  assert.ok(count > 300, String(count));
});

test("every guide, reference page and operating page is in the navigation once", () => {
  const listed = groups.flatMap((group) => group.pages.map(({ path }) => path));
  const expected = pages
    .map(({ path }) => path)
    .filter((path) => /^(guides|reference|operating)\//.test(path));
  assert.deepEqual(listed.filter((path) => path.includes("/")).toSorted(), expected.toSorted());
});

test("a page contains no script, no inline style and no HTML from its Markdown", () => {
  for (const { path, body } of pages) {
    assert.doesNotMatch(body, /<script|<style|<iframe| style="| on\w+="|&lt;!--/, path);
  }
  const source = { file: "docs/x.md", path: "x", text: "# A\n\n<b>bold</b> <script>1</script>\n" };
  const { body } = renderMarkdown(source, () => undefined);
  assert.match(body, /&lt;b&gt;bold&lt;\/b&gt; &lt;script&gt;/);
});

const render = (text: string) =>
  renderMarkdown({ file: "docs/guides/x.md", path: "guides/x", text }, (file) =>
    file === "docs/guides/y.md" ? "guides/y" : undefined,
  );

test("a link to a page becomes the page's address, and a link to another file becomes text", () => {
  const { body, markdown } = render("# A\n\n[one](y.md#b), [two](../../examples/shop/).\n");
  assert.match(body, /<p><a href="\/docs\/guides\/y#b">one<\/a>, two\.<\/p>/);
  assert.match(markdown, /\[one\]\(\/docs\/guides\/y\.md#b\)/);
});

test("a curl command gets a tab for each language, and JavaScript directly before it is its Node tab", () => {
  const curl =
    '```sh\ncurl "$FLORIN_URL/api/v1/balance" -H "Authorization: Bearer $FLORIN_SECRET_KEY"\n```\n';
  const { body } = render(`# A\n\n\`\`\`js\nawait florin.balance.retrieve();\n\`\`\`\n\n${curl}`);
  assert.deepEqual(
    [...body.matchAll(/data-tab="(\w+)"/g)].map(([, language]) => language),
    ["curl", "node", "python", "go", "php", "java"],
  );
  assert.match(body, /node-panel"[^>]*><pre[^>]*><code[^>]*>await florin\.balance\.retrieve\(\);</);
  assert.equal(body.match(/class="code/g)?.length, 1);
});

test("adjacent blocks in Python, Go, PHP and Java become the tabs of one block", () => {
  const block = (info: string) => `\`\`\`${info}\n${info} code\n\`\`\`\n\n`;
  const { body } = render(
    `# A\n\n${block("python")}${block("go")}${block("java")}b\n\n${block("go")}`,
  );
  assert.deepEqual(
    [...body.matchAll(/data-tab="(\w+)"/g)].map(([, language]) => language),
    ["python", "go", "java"],
  );
  assert.equal(body.match(/go code/g)?.length, 2);
  assert.equal(body.match(/class="code/g)?.length, 2);
});

test("the snippets of a curl command have its key, and print the field that the block names", () => {
  const curl = `curl "$FLORIN_URL/api/v1/charges" -H "Idempotency-Key: order-7" -d '{"amount": 1}'`;
  const { body } = render(`# A\n\n\`\`\`sh prints=id\n${curl}\n\`\`\`\n`);
  assert.equal(body.match(/order-7/g)?.length, 6);
  assert.match(body, /print\(json\.load\(response\)\[&quot;id&quot;\]\)|\(response\)\["id"\]/);
});

test("only a block that consists of one curl command is parsed", () => {
  assert.equal(parseCurl("npm start"), null);
  assert.equal(parseCurl('curl "$FLORIN_URL/api/v1/balance" | jq .'), null);
  assert.equal(parseCurl("curl https://example.com"), null);
  assert.deepEqual(
    parseCurl(
      `curl -g "$FLORIN_URL/api/v1/charges.csv?created[gte]=1" \\\n  -H "Authorization: Bearer x"`,
    ),
    { method: "GET", path: "/charges.csv", query: { "created[gte]": "1" }, responds: "csv" },
  );
});

test("the search finds headings of the third level and the text below them", () => {
  const index = searchIndexOf(searchIndex(groups, pages));
  const verifying = "/docs/guides/webhooks#";
  for (const [query, url] of [
    ["verify signature", `${verifying}verify-the-signature`],
    ["Express", `${verifying}express`],
    ["Hono", `${verifying}hono`],
    ...[
      "python",
      "verify signature python",
      "verify signature go",
      "constant time",
      "constructEvent",
      "hmac",
      "standard webhooks",
      "lowercase hex",
    ].map((words) => [words, `${verifying}in-another-language`] as const),
  ] as const) {
    assert.equal(resultsOf(index, query)[0]?.url, url, query);
  }
});

/**
 * Finds the table of the guide whose first column has this heading. Returns the names in backticks in this column,
 * without the brackets that follow a name.
 */
function firstColumn(guide: string, heading: string): string[] {
  const text = readFileSync(new URL(`../docs/guides/${guide}.md`, import.meta.url), "utf8");
  const rows = text.split(`| ${heading} |`)[1]?.split("\n\n")[0]?.split("\n").slice(2) ?? [];
  return rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`(\w+)/g)].map(([, word = ""]) => word),
  );
}

test("the guides list every filter of charges and every failure of a webhook delivery", () => {
  const filters = new Set([...Object.keys(chargeFilters), "created"]);
  assert.deepEqual(new Set(firstColumn("find-payments", "Filter")), filters);
  const failures = new Set(Object.keys(attemptFailures));
  assert.deepEqual(new Set(firstColumn("webhooks", "`failure.code`")), failures);
});

test("every page has its own description, which is one sentence and fits a search result", () => {
  const descriptions = pages.map(({ description }) => description);
  assert.equal(new Set(descriptions).size, pages.length);
  for (const { path, description } of pages) {
    if (!path.startsWith("decisions/")) assert.ok(description.length <= 110, path);
    assert.match(description, /^[A-Z].*\.$/, path);
    assert.doesNotMatch(description, /[.] |This page|these cards/i, path);
  }
});
