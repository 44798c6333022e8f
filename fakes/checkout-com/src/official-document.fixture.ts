import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";

/** Checkout.com's OpenAPI document is not part of the repository. It is in a directory beside it. */
const path = join(import.meta.dirname, "../../../../shared/reference/acquirers/nas-openapi.json");

/** A request with its response. */
export type Exchange = {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly hasQuery: boolean;
  readonly requestBody: unknown;
  readonly status: number;
  readonly responseBody: unknown;
};

export type OfficialDocument = {
  /**
   * Validates the bodies of the exchange against the schemas that the document specifies for it. Returns the names of
   * these schemas and the errors.
   */
  check(exchange: Exchange): { readonly schemas: readonly string[]; readonly errors: string[] };
};

/** The schemas of an endpoint's request and responses. */
type Contract = {
  readonly request?: string;
  readonly responses: Readonly<Record<number, string>>;
};

/** The documented endpoints that the fake implements. The patterns match paths with IDs such as `pay_…`. */
const contracts: readonly (readonly [RegExp, Contract])[] = [
  [
    /^POST \/payments$/,
    {
      request: "PaymentRequest",
      responses: { 201: "PaymentResponse", 202: "PaymentAcceptedResponse" },
    },
  ],
  [/^POST \/tokens$/, { request: "TokenRequest", responses: { 201: "TokenResponse" } }],
  [/^GET \/payments\/\w+$/, { responses: { 200: "PaymentDetails" } }],
  [/^GET \/payments\/\w+\/actions$/, { responses: { 200: "PaymentActionsResponse" } }],
  [
    /^POST \/payments\/\w+\/captures$/,
    { request: "CaptureRequest", responses: { 202: "CaptureAcceptedResponse" } },
  ],
  [
    /^POST \/payments\/\w+\/voids$/,
    { request: "VoidRequest", responses: { 202: "VoidAcceptedResponse" } },
  ],
  [
    /^POST \/payments\/\w+\/refunds$/,
    { request: "RefundRequest", responses: { 202: "RefundAcceptedResponse" } },
  ],
  [/^GET \/disputes$/, { responses: { 200: "DisputePaged" } }],
  [/^GET \/disputes\/\w+$/, { responses: { 200: "Dispute" } }],
  [/^PUT \/disputes\/\w+\/evidence$/, { request: "ProvideEvidenceRequest", responses: {} }],
  [/^GET \/disputes\/\w+\/evidence$/, { responses: { 200: "Evidence" } }],
  [/^POST \/files$/, { responses: { 200: "FileUploadResponse" } }],
  [/^GET \/files\/\w+$/, { responses: { 200: "FileResult" } }],
];

/** The part of a schema's name that stands for the source type. For all other source types, this part is `Card`. */
const sourceKinds: Readonly<Record<string, string>> = {
  network_token: "NetworkToken",
  token: "Token",
};

/** Returns the document, or the reason why tests against it are skipped. */
export function officialDocument(): OfficialDocument | string {
  if (!existsSync(path)) return `Checkout.com's OpenAPI document is not at ${path}.`;
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
  ajv.addSchema(corrected(JSON.parse(readFileSync(path, "utf8"))), "nas");
  const compiled = new Map<string, ValidateFunction>();
  const errorsOf = (schema: string, value: unknown): string[] => {
    const validate =
      compiled.get(schema) ?? ajv.compile({ $ref: `nas#/components/schemas/${schema}` });
    compiled.set(schema, validate);
    return validate(value) ? [] : [`${schema}: ${ajv.errorsText(validate.errors)}`];
  };
  return {
    check({ method, path: requested, hasQuery, requestBody, status, responseBody }) {
      const checks: [string, unknown][] = [];
      if (status === 422 || status === 409 || status === 429) {
        checks.push(["ValidationError", responseBody]);
      }
      const contract = contracts.find(([pattern]) => pattern.test(`${method} ${requested}`))?.[1];
      const isAccepted = status < 300;
      if (contract?.request && isAccepted) {
        checks.push([contract.request, requestBody ?? {}]);
        const { source } = (requestBody ?? {}) as { source?: { readonly type?: unknown } };
        const kind = sourceKinds[String(source?.type)] ?? "Card";
        if (source) checks.push([`PaymentRequest${kind}Source`, source]);
      }
      const response = contract?.responses[status];
      if (response) {
        checks.push([response, responseBody]);
        const source = (responseBody as { source?: unknown }).source;
        if (source) checks.push(["PaymentResponseCardSource", source]);
      }
      // The list of payments is newer than the document. Its elements are payments.
      if (method === "GET" && requested === "/payments" && hasQuery && status === 200) {
        const { data } = responseBody as { data: readonly unknown[] };
        checks.push(...data.map((one): [string, unknown] => ["PaymentDetails", one]));
      }
      return {
        schemas: checks.map(([schema]) => schema),
        errors: checks.flatMap(([schema, value]) => errorsOf(schema, value)),
      };
    },
  };
}

/**
 * Returns the document without two defects. Balances require an `id` that they do not have, and each element of
 * `relevant_evidence` is an array although its values are texts.
 */
function corrected(document: {
  components: { schemas: Record<string, Record<string, unknown>> };
}): object {
  const { schemas } = document.components;
  const { required: _, ...balances } = schemas.PaymentResponseBalances ?? {};
  const dispute = schemas.Dispute as { properties: Record<string, { items?: { type: string } }> };
  const { items } = dispute.properties.relevant_evidence ?? {};
  if (items) items.type = "string";
  return {
    ...document,
    components: {
      ...document.components,
      schemas: { ...schemas, PaymentResponseBalances: balances },
    },
  };
}
