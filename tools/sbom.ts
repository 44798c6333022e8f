import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * `npm run sbom`: prints a software bill of materials of the production packages as CycloneDX 1.6. It is generated from
 * package-lock.json, which has the version, the hash and the license of every package. `npm sbom --omit dev` is not
 * used, because it leaves out production packages that development packages also depend on, such as `pg`.
 */
export type BillOfMaterials = ReturnType<typeof billOfMaterials>;

export type Lockfile = { readonly packages: Readonly<Record<string, LockedPackage>> };

export type LockedPackage = {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

const lockfileUrl = new URL("../package-lock.json", import.meta.url);

export function readLockfile(): Lockfile {
  return JSON.parse(readFileSync(lockfileUrl, "utf8"));
}

/** The roots of the dependency graph: the root package, and the workspace that is started in production. */
export const productionRoots = ["", "cli"];

export function billOfMaterials(lockfile: Lockfile) {
  const reached = reachedFrom(lockfile, productionRoots);
  const references = new Map<string, Set<string>>();
  const components = new Map<string, ReturnType<typeof componentOf>>();
  for (const [path, needs] of reached) {
    const reference = referenceOf(lockfile, path);
    const known = references.get(reference) ?? new Set();
    references.set(reference, known);
    for (const need of needs) known.add(referenceOf(lockfile, need));
    if (path !== "") components.set(reference, componentOf(lockfile, path));
  }
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(lockfile))}`,
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": referenceOf(lockfile, ""),
        name: "florin",
        version: lockfile.packages[""]?.version ?? "0",
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: [...components.values()].sort((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1)),
    dependencies: [...references]
      .map(([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn].sort() }))
      .sort((a, b) => (a.ref < b.ref ? -1 : 1)),
  } as const;
}

/** Returns the required packages by their path in node_modules, each with the paths of its dependencies. */
export function reachedFrom(lockfile: Lockfile, starts: readonly string[]): Map<string, string[]> {
  const reached = new Map<string, string[]>();
  const walk = (path: string): void => {
    if (reached.has(path)) return;
    const locked = lockfile.packages[path] as LockedPackage;
    const names = new Set([
      ...Object.keys(locked.dependencies ?? {}),
      ...Object.keys(locked.optionalDependencies ?? {}),
      ...Object.keys(locked.peerDependencies ?? {}),
    ]);
    const needs = [...names].flatMap((name) => {
      const found = resolve(lockfile, path, name);
      return found === null || lockfile.packages[found]?.dev ? [] : [found];
    });
    reached.set(path, path === "" ? [...needs, "cli"] : needs);
    needs.forEach(walk);
  };
  starts.forEach(walk);
  return reached;
}

/**
 * Resolves a package as Node does: in the node_modules of each directory above. Returns null if the package is missing
 * and optional.
 */
function resolve({ packages }: Lockfile, from: string, name: string): string | null {
  for (
    let directory = from;
    ;
    directory = directory.slice(0, Math.max(0, directory.lastIndexOf("/")))
  ) {
    const candidate =
      directory === "" ? `node_modules/${name}` : `${directory}/node_modules/${name}`;
    const found = packages[candidate];
    if (found) return found.link ? (found.resolved as string) : candidate;
    if (directory === "") return null;
  }
}

function componentOf(lockfile: Lockfile, path: string) {
  const { integrity, license, optional } = lockfile.packages[path] as LockedPackage;
  const { name, version } = identityOf(lockfile, path);
  const isWorkspace = !path.includes("node_modules/");
  return {
    type: isWorkspace ? "application" : "library",
    "bom-ref": referenceOf(lockfile, path),
    name,
    version,
    scope: optional ? "optional" : "required",
    ...(!isWorkspace && { purl: `pkg:npm/${name.replace("@", "%40")}@${version}` }),
    ...(license && { licenses: [licenseOf(license)] }),
    ...(integrity && { hashes: [hashOf(integrity)] }),
  } as const;
}

function licenseOf(license: string) {
  if (license.startsWith("SEE ") || license === "UNLICENSED") return { license: { name: license } };
  return /[ ()]/.test(license) ? { expression: license } : { license: { id: license } };
}

function hashOf(integrity: string) {
  const [algorithm, content = ""] = integrity.split("-");
  if (algorithm !== "sha512") throw new Error(`${integrity} is not a SHA-512 hash`);
  return { alg: "SHA-512", content: Buffer.from(content, "base64").toString("hex") } as const;
}

function identityOf({ packages }: Lockfile, path: string): { name: string; version: string } {
  const { name, version } = packages[path] as LockedPackage;
  return { name: name ?? path.replace(/^.*node_modules\//, ""), version: version ?? "0" };
}

function referenceOf(lockfile: Lockfile, path: string): string {
  const { name, version } = identityOf(lockfile, path);
  return `${name}@${version}`;
}

/** Returns a UUIDv8 (RFC 9562 §5.8) that depends only on the lockfile. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

if (import.meta.main) console.log(JSON.stringify(billOfMaterials(readLockfile()), null, 2));
