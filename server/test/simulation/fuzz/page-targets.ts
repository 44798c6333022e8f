import type { Random } from "../seeded-random.ts";
import { languages } from "./buyer-targets.ts";
import type { FuzzedRoute, FuzzedService } from "./fuzzed-service.ts";
import type { Known } from "./known.ts";
import { awkwardPart, newNetwork, type Target } from "./request.ts";
import { awkward } from "./values.ts";

/** Generates requests for pages, files, probes and reports, and for paths that no route has. */
export function pageTargets({ routes }: FuzzedService, known: Known): Target[] {
  const page = ({ method, url }: FuzzedRoute): Target => ({
    route: `${method} ${url}`,
    group: "pages",
    fuzz: (chance) => fuzzPage(method, url, chance),
  });
  const isFile = ({ url }: FuzzedRoute) => /^\/(embed|dashboard)\/(assets|loader)\/[^*]/.test(url);
  const pages = routes.filter((route) => isPage(route.url) && !isFile(route)).map(page);
  const files = routes.filter(isFile).map(page);
  return [
    ...pages,
    // One target, so that the many files of a build are not most of the requests.
    {
      route: files.map(({ route }) => route).join("\n"),
      group: "pages",
      fuzz: (chance) => chance.pick(files).fuzz(chance),
    },
    { route: "unknown", group: "pages", fuzz: unknownPath },
  ];

  function fuzzPage(method: string, url: string, chance: Random) {
    const path = url
      .replace(":id", () => (chance.happens(0.9) ? known.id("cs", chance) : awkwardPart(chance)))
      .replace("*", () => awkwardPart(chance));
    const query = chance.happens(0.3)
      ? `?${chance.pick(["locale", "locale=de&locale", "x"])}=${awkwardPart(chance)}`
      : "";
    return {
      method: chance.happens(0.05) ? chance.pick(["HEAD", "POST", "OPTIONS"]) : method,
      path: path + query,
      sent: {
        ...(method === "POST" && { body: report(chance) }),
        headers: {
          "x-forwarded-for": newNetwork(chance),
          ...(method === "POST" && { "content-type": chance.pick(reportTypes) }),
          ...(chance.happens(0.3) && { "accept-language": chance.pick(languages) }),
          ...(chance.happens(0.1) && { "sec-fetch-dest": chance.pick(["iframe", "x"]) }),
          ...(chance.happens(0.1) && { range: chance.pick(["bytes=0-9", "bytes=9-0", "x"]) }),
          ...(chance.happens(0.1) && { [chance.pick(conditions)]: chance.pick(['"x"', "*", "x"]) }),
          ...(chance.happens(0.1) && { "accept-encoding": chance.pick(["br", "gzip;q=x", "*"]) }),
        },
      },
    };
  }
}

/** Returns whether the route belongs to no other group. */
function isPage(url: string): boolean {
  return !/^\/(api\/v1|auth|operator|vault|challenge|simulator|three-d-secure|embed\/api)\b/.test(
    url,
  );
}

const conditions = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];
const reportTypes = ["application/reports+json", "application/csp-report", "application/json"];

function report(chance: Random): string {
  const directive = chance.pick(["script-src", "x".repeat(1_000), 7, null, { a: 1 }]);
  const blocked = chance.pick(["inline", "https://evil.example/x?secret", "data:x", ...awkward]);
  const single = {
    "csp-report": { "effective-directive": directive, "blocked-uri": blocked },
  };
  const listed = { body: { effectiveDirective: directive, blockedURL: blocked } };
  return chance.pick([
    JSON.stringify(single),
    JSON.stringify(Array.from({ length: chance.between(0, 500) }, () => listed)),
    "{",
    "[".repeat(20_000),
    "null",
  ]);
}

function unknownPath(chance: Random) {
  const parts = ["api", "v1", "auth", "operator", "embed", "charges", "%", "%ff", "..", ""];
  const part = () => (chance.happens(0.5) ? chance.pick(parts) : awkwardPart(chance));
  const path = `/${Array.from({ length: chance.between(1, 6) }, part).join("/")}`;
  return {
    method: chance.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]),
    path,
    sent: { headers: { "x-forwarded-for": newNetwork(chance) } },
  };
}
