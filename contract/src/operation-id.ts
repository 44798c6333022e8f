/** The parts of a route that determine its operation ID. */
type IdentifiedRoute = {
  readonly method: "GET" | "POST" | "DELETE";
  /** The path below `/api/v1`. */
  readonly path: string;
  readonly status: 200 | 201;
  readonly returnsList: boolean;
};

/** Operations whose verb is not the last part of their path. */
const verbs: Readonly<Record<string, string>> = {
  "POST /account/profile": "update_profile",
  "POST /account/logo": "upload_logo",
  "DELETE /account/logo": "delete_logo",
  "POST /disputes/:id/evidence": "submit_evidence",
  "GET /disputes/:id/evidence_draft": "retrieve_draft",
  "POST /disputes/:id/evidence_draft": "save_draft",
  "GET /disputes/:id/evidence_document": "download_document",
  "GET /dispute_files/:id/content": "download",
  "GET /webhook_endpoints/:id/deliveries": "list_deliveries",
};

/**
 * Returns the resource and a verb, such as `charges.create` for `POST /charges`. The SDK's methods have the same names
 * in camel case.
 */
export function operationId(route: IdentifiedRoute): string {
  const { method, path } = route;
  const parts = path.slice(1).split("/");
  const names = parts.filter((part) => !part.startsWith(":"));
  const last = parts.at(-1) ?? "";
  const verb = verbs[`${method} ${path}`];
  if (verb) return [...names.slice(0, -1), verb].join(".");
  if (last.endsWith(".csv"))
    return [...names.slice(0, -1), last.slice(0, -4), "download"].join(".");
  if (last.startsWith(":")) return [...names, verbOnObject[method]].join(".");
  // `/charges/:id/capture`: the last part is the verb.
  if (parts.some((part) => part.startsWith(":"))) return names.join(".");
  if (route.returnsList) return [...names, "list"].join(".");
  if (method === "POST" && route.status === 201) return [...names, "create"].join(".");
  // `/metrics/payments`: the last part is the verb here too.
  if (names.length > 1) return names.join(".");
  return [...names, verbOnObject[method]].join(".");
}

const verbOnObject = { GET: "retrieve", POST: "update", DELETE: "delete" } as const;
