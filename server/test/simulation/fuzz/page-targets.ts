import type { Random } from "../seeded-random.ts";
import { languages } from "./buyer-targets.ts";
import type { FuzzedRoute, FuzzedService } from "./fuzzed-service.ts";
import { problematicStrings } from "./generated-values.ts";
import { newNetwork, problematicPathPart, type Target } from "./request.ts";
import type { ResponseValues } from "./response-values.ts";

/** Generates requests for pages, files, probes and CSP reports, and for unknown paths. */
export function pageTargets({ routes }: FuzzedService, known: ResponseValues): Target[] {
  const page = ({ method, url }: FuzzedRoute): Target => ({
    route: `${method} ${url}`,
    group: "pages",
    fuzz: (random) => fuzzPage(method, url, random),
  });
  const isFile = ({ url }: FuzzedRoute) => /^\/(embed|dashboard)\/(assets|loader)\/[^*]/.test(url);
  const pages = routes.filter((route) => isPage(route.url) && !isFile(route)).map(page);
  const files = routes.filter(isFile).map(page);
  return [
    ...pages,
    // All files share one target. Otherwise most requests would be for the many files of a build.
    {
      route: files.map(({ route }) => route).join("\n"),
      group: "pages",
      fuzz: (random) => random.pick(files).fuzz(random),
    },
    { route: "unknown", group: "pages", fuzz: unknownPath },
  ];

  function fuzzPage(method: string, url: string, random: Random) {
    const path = url
      .replace(":id", () =>
        random.happens(0.9) ? known.id("cs", random) : problematicPathPart(random),
      )
      .replace("*", () => problematicPathPart(random));
    const query = random.happens(0.3)
      ? `?${random.pick(["locale", "locale=de&locale", "x"])}=${problematicPathPart(random)}`
      : "";
    return {
      method: random.happens(0.05) ? random.pick(["HEAD", "POST", "OPTIONS"]) : method,
      path: path + query,
      sent: {
        ...(method === "POST" && { body: report(random) }),
        headers: {
          "x-forwarded-for": newNetwork(random),
          ...(method === "POST" && { "content-type": random.pick(reportTypes) }),
          ...(random.happens(0.3) && { "accept-language": random.pick(languages) }),
          ...(random.happens(0.1) && { "sec-fetch-dest": random.pick(["iframe", "x"]) }),
          ...(random.happens(0.1) && { range: random.pick(["bytes=0-9", "bytes=9-0", "x"]) }),
          ...(random.happens(0.1) && { [random.pick(conditions)]: random.pick(['"x"', "*", "x"]) }),
          ...(random.happens(0.1) && { "accept-encoding": random.pick(["br", "gzip;q=x", "*"]) }),
        },
      },
    };
  }
}

/** Returns whether the route belongs to the group "pages". */
function isPage(url: string): boolean {
  return !/^\/(api\/v1|auth|operator|vault|challenge|simulator|three-d-secure|embed\/api)\b/.test(
    url,
  );
}

const conditions = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];
const reportTypes = ["application/reports+json", "application/csp-report", "application/json"];

function report(random: Random): string {
  const directive = random.pick(["script-src", "x".repeat(1_000), 7, null, { a: 1 }]);
  const blocked = random.pick([
    "inline",
    "https://evil.example/x?secret",
    "data:x",
    ...problematicStrings,
  ]);
  const single = {
    "csp-report": { "effective-directive": directive, "blocked-uri": blocked },
  };
  const listed = { body: { effectiveDirective: directive, blockedURL: blocked } };
  return random.pick([
    JSON.stringify(single),
    JSON.stringify(Array.from({ length: random.between(0, 500) }, () => listed)),
    "{",
    "[".repeat(20_000),
    "null",
  ]);
}

function unknownPath(random: Random) {
  const parts = ["api", "v1", "auth", "operator", "embed", "charges", "%", "%ff", "..", ""];
  const part = () => (random.happens(0.5) ? random.pick(parts) : problematicPathPart(random));
  const path = `/${Array.from({ length: random.between(1, 6) }, part).join("/")}`;
  return {
    method: random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]),
    path,
    sent: { headers: { "x-forwarded-for": newNetwork(random) } },
  };
}
