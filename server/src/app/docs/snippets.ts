import { operationId } from "@florin/contract/operation-id.ts";
import { basePlaceholder } from "./docs-page.ts";

/** The languages of the snippets, in the order of the tabs. */
export const languages = {
  curl: "cURL",
  node: "Node",
  python: "Python",
  go: "Go",
  php: "PHP",
  java: "Java",
} as const;
export type Language = keyof typeof languages;

/** A request to the API that a snippet sends. */
export type SnippetRequest = {
  /** The ID of the operation. By default, it is derived from the path. */
  readonly operationId?: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** The path below `/api/v1`, with an ID instead of `:id`, and without a query. */
  readonly path: string;
  /** The query parameters by name, such as `created[gte]`. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The media type of the body, if it is a file. Such a request has a snippet for curl only. */
  readonly upload?: string;
  /** The idempotency key of the request. By default, the snippets generate a random key. */
  readonly idempotencyKey?: string;
  /** The field of the response that the snippets print. By default, they print the whole response. */
  readonly prints?: string;
  readonly responds: "json" | "csv" | "events" | "file";
};

/** The file to which the snippets write a response that is not text. */
const savedFile = "document.pdf";

/** Returns the request as a program in each language. */
export function snippetsOf(
  request: SnippetRequest,
): { readonly curl: string } & Partial<Record<Language, string>> {
  if (request.upload) return { curl: curl(request) };
  return {
    curl: curl(request),
    node: node(request),
    python: python(request),
    go: go(request),
    php: php(request),
    java: java(request),
  };
}

function urlOf({ path, query = {} }: SnippetRequest): string {
  const parameters = new URLSearchParams(query);
  return `${basePlaceholder}/api/v1${path}${parameters.size > 0 ? `?${parameters}` : ""}`;
}

function jsonOf(body: unknown): string {
  return JSON.stringify(body, null, 2);
}

function indented(text: string, indent: string): string {
  return text.replaceAll("\n", `\n${indent}`);
}

function curl(request: SnippetRequest): string {
  const { method, body, responds } = request;
  // `-N` disables curl's output buffer. Events of the stream would otherwise not be printed immediately.
  const noBuffer = responds === "events" ? "-N " : "";
  // `-f` writes no file if the response is an error.
  const output = responds === "file" ? `-f -o ${savedFile} ` : "";
  const url = request.query ? `"${urlOf(request)}"` : urlOf(request);
  const lines = [
    `curl ${noBuffer}${output}${method === "DELETE" ? "-X DELETE " : ""}${url}`,
    `-H "Authorization: Bearer $FLORIN_SECRET_KEY"`,
  ];
  if (method === "POST") {
    lines.push(`-H "Idempotency-Key: ${request.idempotencyKey ?? "$(uuidgen)"}"`);
  }
  if (body !== undefined) {
    lines.push(`-H "Content-Type: application/json"`);
    lines.push(`-d '${indented(jsonOf(body).replaceAll("'", "'\\''"), "  ")}'`);
  } else if (request.upload) {
    lines.push(
      `-H "Content-Type: ${request.upload}"`,
      `--data-binary @${request.query?.file_name ?? "logo.png"}`,
    );
  } else if (method === "POST") {
    lines.push("-X POST");
  }
  return lines.join(" \\\n  ");
}

/** The paths without an ID whose GET returns one object. */
const singletons = ["/account", "/balance", "/metrics/payments"];

/** Returns the name of the SDK's method and the IDs in the path. */
function sdkCall({ method, path, operationId: known }: SnippetRequest): {
  name: string;
  ids: string[];
} {
  const ids: string[] = [];
  const template = path
    .split("/")
    .map((part) => {
      // An ID has a prefix, an underscore, and at least one upper-case letter, digit or ellipsis.
      if (!/^[a-z]+_.*([0-9A-Z…]|pm_card)/.test(part) && !part.startsWith("pm_")) return part;
      ids.push(part);
      return ":id";
    })
    .join("/");
  const id =
    known ??
    operationId({
      method,
      path: template,
      status: template === "/account" || template.endsWith("/advance") ? 200 : 201,
      returnsList: method === "GET" && !singletons.includes(template),
    });
  return { name: id.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), ids };
}

function node(request: SnippetRequest): string {
  const { query, body, responds, idempotencyKey, prints } = request;
  const { name, ids } = sdkCall(request);
  // The SDK has no method for these operations.
  if (responds === "events" || name === "account.deleteLogo") return nodeWithoutSdk(request);
  const given = [...ids.map((id) => JSON.stringify(id))];
  if (body !== undefined) given.push(literalOf(body, javaScript));
  else if (query) given.push(literalOf(sdkQuery(query), javaScript));
  if (body !== undefined && idempotencyKey !== undefined) {
    given.push(`{ idempotencyKey: ${JSON.stringify(idempotencyKey)} }`);
  }
  const call = `florin.${name}(${given.join(", ")})`;
  const use = {
    json: `const result = await ${call};\nconsole.log(result${prints ? `.${prints}` : ""});`,
    csv: `for await (const piece of await ${call}) process.stdout.write(piece);`,
    file: `const file = await ${call};\nawait writeFile("${savedFile}", await file.bytes());`,
  }[responds];
  const imported = responds === "file" ? `import { writeFile } from "node:fs/promises";\n` : "";
  return `${imported}import { Florin } from "@florin/sdk";

const florin = new Florin(process.env.FLORIN_SECRET_KEY, {
  baseUrl: "${basePlaceholder}",
});

${use}`;
}

/** Converts `created[gte]` to a nested object. */
function sdkQuery(query: Readonly<Record<string, string>>): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(query)) {
    const [, outer, inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    const value = /^\d+$/.test(text) ? Number(text) : text;
    if (outer && inner) object[outer] = { ...(object[outer] as object), [inner]: value };
    else object[name] = value;
  }
  return object;
}

function nodeWithoutSdk(request: SnippetRequest): string {
  return `const response = await fetch("${urlOf(request)}", {
  method: "${request.method}",
  headers: { Authorization: \`Bearer \${process.env.FLORIN_SECRET_KEY}\` },
});
for await (const bytes of response.body) process.stdout.write(bytes);`;
}

function python(request: SnippetRequest): string {
  const { method, body, responds, idempotencyKey, prints } = request;
  const headers = [`"Authorization": "Bearer " + os.environ["FLORIN_SECRET_KEY"],`];
  if (body !== undefined) headers.push(`"Content-Type": "application/json",`);
  const key = idempotencyKey === undefined ? "str(uuid.uuid4())" : JSON.stringify(idempotencyKey);
  if (method === "POST") headers.push(`"Idempotency-Key": ${key},`);
  const imports = [
    ...(body !== undefined || responds === "json" ? ["import json"] : []),
    "import os",
    "import urllib.error",
    "import urllib.request",
    ...(method === "POST" && idempotencyKey === undefined ? ["import uuid"] : []),
  ];
  const data =
    body === undefined
      ? ""
      : `\n    data=json.dumps(${indented(literalOf(body, pythonSyntax), "    ")}).encode(),`;
  const print = {
    json: `print(json.load(response)${prints ? `[${JSON.stringify(prints)}]` : ""})`,
    csv: "print(response.read().decode())",
    events: `for line in response:\n            print(line.decode(), end="")`,
    file: `with open("${savedFile}", "wb") as file:\n            file.write(response.read())`,
  }[responds];
  return `${imports.join("\n")}

request = urllib.request.Request(
    "${urlOf(request)}",
    method="${method}",
    headers={
        ${headers.join("\n        ")}
    },${data}
)
try:
    with urllib.request.urlopen(request) as response:
        ${print}
except urllib.error.HTTPError as error:
    print(error.read().decode())`;
}

function go(request: SnippetRequest): string {
  const { method, body, responds, idempotencyKey, prints } = request;
  const isPost = method === "POST";
  const isRandom = isPost && idempotencyKey === undefined;
  const imports = [
    ...(isRandom ? ["crypto/rand"] : []),
    ...(prints ? ["encoding/json"] : []),
    ...(isRandom || prints ? ["fmt"] : []),
    "io",
    "net/http",
    "os",
    ...(body !== undefined ? ["strings"] : []),
  ];
  const reader = body === undefined ? "nil" : "body";
  const lines = [
    ...(body === undefined ? [] : [`body := strings.NewReader(\`${jsonOf(body)}\`)`]),
    `request, err := http.NewRequest("${method}", "${urlOf(request)}", ${reader})`,
    "if err != nil {\n\t\tpanic(err)\n\t}",
    `request.Header.Set("Authorization", "Bearer "+os.Getenv("FLORIN_SECRET_KEY"))`,
    ...(body === undefined ? [] : [`request.Header.Set("Content-Type", "application/json")`]),
    ...(idempotencyKey === undefined
      ? []
      : [`request.Header.Set("Idempotency-Key", ${JSON.stringify(idempotencyKey)})`]),
    ...(isRandom
      ? [
          "key := make([]byte, 16)\n\trand.Read(key)",
          `request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", key))`,
        ]
      : []),
    "response, err := http.DefaultClient.Do(request)",
    "if err != nil {\n\t\tpanic(err)\n\t}",
    "defer response.Body.Close()",
    ...(responds === "file" ? goFile : []),
    ...(prints ? goField(prints) : ["io.Copy(os.Stdout, response.Body)"]),
  ];
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join("\n")}
)

func main() {
\t${lines.join("\n\t")}
}`;
}

/** Writes a successful response to a file. The next statement prints an error instead. */
const goFile = [
  `if response.StatusCode == 200 {
\t\tfile, err := os.Create("${savedFile}")
\t\tif err != nil {
\t\t\tpanic(err)
\t\t}
\t\tdefer file.Close()
\t\tio.Copy(file, response.Body)
\t}`,
];

/** Prints one field of the response, or the whole response if it is an error. */
function goField(name: string): string[] {
  return [
    "text, err := io.ReadAll(response.Body)",
    "if err != nil {\n\t\tpanic(err)\n\t}",
    "var result map[string]any",
    "if response.StatusCode >= 400 || json.Unmarshal(text, &result) != nil {\n\t\tpanic(string(text))\n\t}",
    `fmt.Println(result["${name}"])`,
  ];
}

function php(request: SnippetRequest): string {
  const { method, body, responds, idempotencyKey } = request;
  const headers = [`"Authorization: Bearer " . getenv("FLORIN_SECRET_KEY"),`];
  if (body !== undefined) headers.push(`"Content-Type: application/json",`);
  if (idempotencyKey !== undefined) headers.push(`"Idempotency-Key: ${idempotencyKey}",`);
  else if (method === "POST") headers.push(`"Idempotency-Key: " . bin2hex(random_bytes(16)),`);
  const options = [
    ...(responds === "events" ? [] : ["CURLOPT_RETURNTRANSFER => true,"]),
    ...(method === "GET" ? [] : [`CURLOPT_CUSTOMREQUEST => "${method}",`]),
    `CURLOPT_HTTPHEADER => [\n        ${headers.join("\n        ")}\n    ],`,
    ...(body === undefined
      ? []
      : [`CURLOPT_POSTFIELDS => json_encode(${indented(literalOf(body, phpSyntax), "    ")}),`]),
  ];
  return `<?php
$request = curl_init("${urlOf(request)}");
curl_setopt_array($request, [
    ${options.join("\n    ")}
]);
${phpUse(request)}`;
}

function phpUse({ responds, prints }: SnippetRequest): string {
  if (responds === "events") return "curl_exec($request);";
  if (responds === "file") return phpFile;
  return prints ? phpField(prints) : "echo curl_exec($request);";
}

/** Writes a response to a file, unless it is an error. */
const phpFile = `$bytes = curl_exec($request);
if (curl_getinfo($request, CURLINFO_RESPONSE_CODE) === 200) file_put_contents("${savedFile}", $bytes);
else echo $bytes;`;

/** Prints one field of the response, or the whole response if it is an error. */
function phpField(name: string): string {
  return `$text = curl_exec($request);
echo json_decode($text, true)["${name}"] ?? $text;`;
}

function java(request: SnippetRequest): string {
  const { method, body, responds, idempotencyKey, prints } = request;
  const isPost = method === "POST";
  const key =
    idempotencyKey === undefined ? "UUID.randomUUID().toString()" : JSON.stringify(idempotencyKey);
  const json = body === undefined ? "" : jsonOf(body).replaceAll("\\", "\\\\");
  const publisher =
    body === undefined
      ? "HttpRequest.BodyPublishers.noBody()"
      : `HttpRequest.BodyPublishers.ofString("""\n                ${indented(json, "                ")}\n                """)`;
  const builder = [
    `.header("Authorization", "Bearer " + System.getenv("FLORIN_SECRET_KEY"))`,
    ...(body === undefined ? [] : [`.header("Content-Type", "application/json")`]),
    ...(isPost ? [`.header("Idempotency-Key", ${key})`] : []),
    ...(isPost ? [`.POST(${publisher})`] : method === "DELETE" ? [".DELETE()"] : []),
    ".build();",
  ];
  const printBody = "System.out.println(response.body());";
  const comment = prints ? `// The response is JSON. Read its field "${prints}".\n        ` : "";
  const [handler, print] = {
    json: ["ofString", `${comment}${printBody}`],
    csv: ["ofString", printBody],
    events: ["ofLines", "response.body().forEach(System.out::println);"],
    file: [
      "ofByteArray",
      `if (response.statusCode() == 200) Files.write(Path.of("${savedFile}"), response.body());\n        else System.out.println(new String(response.body()));`,
    ],
  }[responds];
  const fileImports =
    responds === "file" ? "import java.nio.file.Files;\nimport java.nio.file.Path;\n" : "";
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
${fileImports}${isPost && idempotencyKey === undefined ? "import java.util.UUID;\n" : ""}
public class Main {
    public static void main(String[] args) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("${urlOf(request)}"))
            ${builder.join("\n            ")}
        var response = HttpClient.newHttpClient()
            .send(request, HttpResponse.BodyHandlers.${handler}());
        ${print}
    }
}`;
}

/** The syntax of literals in a language. */
type Syntax = {
  readonly indent: string;
  readonly object: readonly [string, string];
  readonly member: (name: string, value: string) => string;
  readonly words: Readonly<Record<"true" | "false" | "null", string>>;
  readonly text: (value: string) => string;
};

const javaScript: Syntax = {
  indent: "  ",
  object: ["{", "}"],
  member: (name, value) => `${/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)}: ${value}`,
  words: { true: "true", false: "false", null: "null" },
  text: (value) => JSON.stringify(value),
};

const pythonSyntax: Syntax = {
  ...javaScript,
  indent: "    ",
  member: (name, value) => `${JSON.stringify(name)}: ${value}`,
  words: { true: "True", false: "False", null: "None" },
};

const phpSyntax: Syntax = {
  ...javaScript,
  indent: "    ",
  object: ["[", "]"],
  member: (name, value) => `${JSON.stringify(name)} => ${value}`,
  // PHP replaces variables in double quotes.
  text: (value) => JSON.stringify(value).replaceAll("$", "\\$"),
};

/** Returns a JSON value as a literal of the language. */
function literalOf(value: unknown, syntax: Syntax, indent = ""): string {
  if (value === null || typeof value === "boolean") {
    return syntax.words[String(value) as keyof Syntax["words"]];
  }
  if (typeof value === "string") return syntax.text(value);
  if (typeof value !== "object") return String(value);
  const deeper = indent + syntax.indent;
  const isArray = Array.isArray(value);
  const members = isArray
    ? value.map((item) => literalOf(item, syntax, deeper))
    : Object.entries(value).map(([name, member]) =>
        syntax.member(name, literalOf(member, syntax, deeper)),
      );
  const [open, close] = isArray ? ["[", "]"] : syntax.object;
  if (members.length === 0) {
    // In PHP, an empty array would become a JSON array.
    return !isArray && syntax === phpSyntax ? "new stdClass()" : `${open}${close}`;
  }
  return `${open}\n${members.map((member) => `${deeper}${member},\n`).join("")}${indent}${close}`;
}
