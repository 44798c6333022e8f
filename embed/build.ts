import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type Metafile, stop } from "esbuild";
import type { EmbedManifest } from "./src/frame/document.ts";
import { type Language, languages } from "./src/frame/locales/choose-locale.ts";

/**
 * Builds the loader and the card frame. `npm start` runs the build, so it must be fast. Files with a content hash in
 * their name can be cached permanently. `embed.js` keeps its name, because merchants' pages refer to it.
 *
 *   dist/embed.js  dist/loader/embed-….js  dist/assets/frame-….js and .css  challenge-….js and .css  de-….js …
 *   dist/google-pay/google-pay-….js
 *   dist/manifest.json
 *
 * The command `node embed/build.ts` also prints the inventory of scripts. `--keep` copies the loader into
 * `embed/releases/`. Later releases then still serve its pinned URL, so that pages with its SRI hash keep working.
 */
export type EmbedBuild = {
  readonly outdir: string;
  readonly manifest: EmbedManifest;
  /** The gzipped size of each file in bytes. For `words`, the size of the largest dictionary. */
  readonly gzipBytes: Readonly<
    Record<
      | "loader"
      | "frameScript"
      | "frameStyle"
      | "challengeScript"
      | "challengeStyle"
      | "googlePayScript"
      | "words",
      number
    >
  >;
};

/** A script that runs in a customer's browser, with its origin and its SRI hash (PCI DSS 6.4.3). */
export type InventoryLine = {
  readonly file: string;
  readonly runsIn: string;
  readonly purpose: string;
  readonly gzipBytes: number;
  readonly integrity: string;
};

const defaultOutdir = fileURLToPath(new URL("./dist", import.meta.url));
const releases = fileURLToPath(new URL("./releases", import.meta.url));

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const common: BuildOptions = {
  bundle: true,
  minify: true,
  metafile: true,
  write: true,
  legalComments: "none",
  charset: "utf8",
  logLevel: "silent",
  // Browsers since the end of 2023, which support `:has()`, `AbortSignal.timeout`, `color-mix` and `ariaLabel`.
  target: ["chrome111", "firefox121", "safari16.4"],
};

export async function buildEmbed({ outdir = defaultOutdir } = {}): Promise<EmbedBuild> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(join(outdir, "loader"), { recursive: true });
  const assets = join(outdir, "assets");
  const words = await buildWords(assets);
  const [frame, challenge, googlePay] = await Promise.all([
    build({
      ...common,
      entryPoints: [source("frame/main.tsx"), source("frame/frame.css")],
      outdir: assets,
      entryNames: "frame-[hash]",
      format: "esm",
      jsx: "automatic",
      jsxImportSource: "preact",
      define: { wordFiles: JSON.stringify(words) },
    }),
    build({
      ...common,
      entryPoints: [source("challenge/main.ts"), source("challenge/challenge.css")],
      outdir: join(outdir, "assets"),
      entryNames: "challenge-[hash]",
      format: "esm",
    }),
    // Not in `assets`, which the service serves at the origin of the card form.
    build({
      ...common,
      entryPoints: [source("google-pay/main.ts")],
      outdir: join(outdir, "google-pay"),
      entryNames: "google-pay-[hash]",
      format: "esm",
    }),
    build({
      ...common,
      entryPoints: [source("page/embed.ts")],
      outfile: join(outdir, "embed.js"),
      format: "iife",
    }),
  ]);

  // Stop esbuild's child process, which a long-running server does not need after the build.
  await stop();

  const pinned = await pinLoader(outdir);
  const asset = assetFinder(frame.metafile as Metafile);
  const ofChallenge = assetFinder(challenge.metafile as Metafile);
  const ofGooglePay = assetFinder(googlePay.metafile as Metafile);
  const manifest: EmbedManifest = {
    loader: "embed.js",
    ...pinned,
    frameScript: `assets/${asset("frame/main.tsx")}`,
    frameStyle: `assets/${asset("frame/frame.css")}`,
    challengeScript: `assets/${ofChallenge("challenge/main.ts")}`,
    challengeStyle: `assets/${ofChallenge("challenge/challenge.css")}`,
    googlePayScript: `google-pay/${ofGooglePay("google-pay/main.ts")}`,
    words: pathsOf(words),
  };
  await writeFile(join(outdir, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const sizes = await Promise.all(Object.values(words).map((name) => gzipSize(join(assets, name))));
  return {
    outdir,
    manifest,
    gzipBytes: {
      loader: await gzipSize(join(outdir, manifest.loader)),
      frameScript: await gzipSize(join(outdir, manifest.frameScript)),
      frameStyle: await gzipSize(join(outdir, manifest.frameStyle)),
      challengeScript: await gzipSize(join(outdir, manifest.challengeScript)),
      challengeStyle: await gzipSize(join(outdir, manifest.challengeStyle)),
      googlePayScript: await gzipSize(join(outdir, manifest.googlePayScript)),
      words: Math.max(...sizes),
    },
  };
}

/** Writes the current loader and all earlier released loaders under their pinned names. */
async function pinLoader(outdir: string) {
  const loader = await readFile(join(outdir, "embed.js"));
  const hash = createHash("sha256").update(loader).digest("hex").slice(0, 10);
  const pinnedLoader = `loader/embed-${hash}.js`;
  const released = await readdir(releases).catch(() => []);
  for (const name of released.filter((file) => file.endsWith(".js"))) {
    await copyFile(join(releases, name), join(outdir, "loader", name));
  }
  await writeFile(join(outdir, pinnedLoader), loader);
  return { pinnedLoader, loaderIntegrity: integrityOf(loader) };
}

function integrityOf(content: Buffer): string {
  return `sha384-${createHash("sha384").update(content).digest("base64")}`;
}

type WordFiles = Readonly<Record<Language, string>>;

/** Builds one dictionary file per language. The names of these files are compiled into the frame's script. */
async function buildWords(assets: string): Promise<WordFiles> {
  const built = await build({
    ...common,
    entryPoints: languages.map((language) => source(`frame/locales/${language}.ts`)),
    outdir: assets,
    entryNames: "[name]-[hash]",
    format: "esm",
  });
  const asset = assetFinder(built.metafile as Metafile);
  return forEachLanguage((language) => asset(`locales/${language}.ts`));
}

function pathsOf(words: WordFiles): WordFiles {
  return forEachLanguage((language) => `assets/${words[language]}`);
}

function forEachLanguage(make: (language: Language) => string): WordFiles {
  return Object.fromEntries(languages.map((language) => [language, make(language)])) as WordFiles;
}

/** Returns a function that maps a source file to its output file. */
function assetFinder({ outputs }: Metafile): (sourcePath: string) => string {
  return (sourcePath) => {
    const [path] =
      Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(sourcePath)) ?? [];
    if (!path) throw new Error(`The embed build has no output for ${sourcePath}.`);
    return basename(path);
  };
}

async function gzipSize(path: string): Promise<number> {
  return gzipSync(await readFile(path), { level: 9 }).length;
}

/**
 * Returns every Florin script that runs in a customer's browser. The CSP blocks all other scripts on the origin of the
 * card form. On the second origin, it also allows Google's script.
 */
export async function scriptInventory({ outdir, manifest }: EmbedBuild): Promise<InventoryLine[]> {
  const card = "the card form, on Florin's origin";
  const scripts: [file: string, runsIn: string, purpose: string][] = [
    [manifest.loader, "the merchant's page", "loads the card form; never receives card data"],
    [manifest.pinnedLoader, "the merchant's page", "the loader, under the hash of its content"],
    [manifest.frameScript, card, "the form, the payment and its status screens"],
    [
      manifest.challengeScript,
      "the challenge, on Florin's origin",
      "contains the issuer's challenge; never receives card data",
    ],
    [
      manifest.googlePayScript,
      "Google Pay's button, on the second origin",
      "loads Google's script; never receives card data",
    ],
    ...Object.entries(manifest.words).map(([language, file]): [string, string, string] => [
      file,
      card,
      `translation: ${language}`,
    ]),
  ];
  return Promise.all(
    scripts.map(async ([file, runsIn, purpose]) => {
      const content = await readFile(join(outdir, file));
      return {
        file,
        runsIn,
        purpose,
        gzipBytes: gzipSync(content, { level: 9 }).length,
        integrity: integrityOf(content),
      };
    }),
  );
}

if (import.meta.main) {
  const started = performance.now();
  const built = await buildEmbed();
  console.log(
    "Scripts that run in a customer's browser (on the card form's origin, all other scripts are rejected):",
  );
  for (const { file, runsIn, purpose, gzipBytes, integrity } of await scriptInventory(built)) {
    console.log(`${file}  ${gzipBytes} bytes gzipped\n  in ${runsIn}: ${purpose}\n  ${integrity}`);
  }
  console.log(`${built.manifest.frameStyle}  ${built.gzipBytes.frameStyle} bytes gzipped`);
  if (process.argv.includes("--keep")) {
    await mkdir(releases, { recursive: true });
    const kept = join(releases, basename(built.manifest.pinnedLoader));
    await copyFile(join(built.outdir, built.manifest.pinnedLoader), kept);
    console.log(`kept ${kept}`);
  }
  console.log(`built in ${Math.round(performance.now() - started)} ms`);
}
