import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currencies } from "@florin/contract/currency.ts";
import { printType } from "./print-type.ts";

/**
 * Builds the published package. It contains JavaScript and self-contained type declarations, because Node strips no
 * types below `node_modules`. `npm run pack` packs it.
 */
export async function buildSdk(outdir: string): Promise<void> {
  rmSync(outdir, { recursive: true, force: true });
  const tsc = join(import.meta.dirname, "../node_modules/.bin/tsc");
  const project = join(import.meta.dirname, "tsconfig.build.json");
  execFileSync(tsc, ["-p", project, "--outDir", outdir], { stdio: "inherit" });

  const wanted = new Map<string, string>();
  for (const file of readdirSync(outdir).filter((name) => name.endsWith(".d.ts"))) {
    const path = join(outdir, file);
    writeFileSync(path, ownTypes(readFileSync(path, "utf8"), wanted));
  }
  writeFileSync(join(outdir, "contract.d.ts"), await contractTypes(wanted));
  writeFileSync(join(outdir, "contract.js"), "export {};\n");
  writeFileSync(join(outdir, "package.json"), `${JSON.stringify(publishedPackage(), null, 2)}\n`);
  cpSync(join(import.meta.dirname, "README.md"), join(outdir, "README.md"));
  cpSync(join(import.meta.dirname, "../LICENSE"), join(outdir, "LICENSE"));
}

/** Replaces imports from the contract's package, which is not published, with imports from one file of types. */
function ownTypes(text: string, wanted: Map<string, string>): string {
  return text
    .replace(
      /import type \{([^}]+)\} from "(@florin\/contract\/[^"]+)";/g,
      (_, names: string, module: string) => {
        for (const name of names.split(",").map((part) => part.trim())) {
          if (name !== "") wanted.set(name, module);
        }
        return `import type {${names}} from "./contract.js";`;
      },
    )
    .replace(
      /import\("(@florin\/contract\/[^"]+)\.js"\)\.(\w+)/g,
      (_, module: string, name: string) => {
        wanted.set(name, `${module}.ts`);
        return `import("./contract.js").${name}`;
      },
    )
    .replace(/(from "\.\/[^"]+)\.ts"/g, '$1.js"');
}

/** Returns the API's types, printed from its schemas. Types refer to each other by their names. */
async function contractTypes(wanted: ReadonlyMap<string, string>): Promise<string> {
  const schemas = new Map<string, object | undefined>();
  for (const [name, module] of [...wanted].sort()) {
    const exported = (await import(module)) as Record<string, object>;
    schemas.set(name, exported[name]);
  }
  const names = new Map([...schemas].flatMap(([name, schema]) => (schema ? [[schema, name]] : [])));
  const codes = currencies.map((code) => JSON.stringify(code)).join(" | ");
  const types = [`/** ISO 4217 code in lower case. */\nexport type Currency = ${codes};\n`];
  for (const [name, schema] of schemas) {
    const type = schema ? printType(schema, names) : await typeWithoutSchema(name);
    types.push(`export type ${name} = ${type};\n`);
  }
  return types.join("\n");
}

/** Returns the text of a contract type that has no schema. */
async function typeWithoutSchema(name: string): Promise<string> {
  if (name === "Metadata") return "{ [name: string]: string }";
  if (name === "CardErrorCode") {
    const { errorCodes } = await import("@florin/contract/errors.ts");
    const codes = Object.entries(errorCodes).filter(([, { type }]) => type === "card_error");
    return codes.map(([code]) => JSON.stringify(code)).join(" | ");
  }
  if (name === "DocumentMediaType") {
    const { documentMediaTypes } = await import("@florin/contract/document-media-types.ts");
    return documentMediaTypes.map((type) => JSON.stringify(type)).join(" | ");
  }
  throw new Error(`The contract has no schema '${name}'.`);
}

function publishedPackage() {
  const own = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  return {
    name: own.name,
    version: own.version,
    description:
      "Client for Florin's API from a merchant's server, and verification of its webhooks",
    license: own.license,
    type: "module",
    engines: { node: ">=20" },
    exports: { ".": entry("florin"), "./webhooks": entry("webhooks") },
  };
}
