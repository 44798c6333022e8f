import { parseArgs } from "node:util";
import type { Config } from "@florin/server/config.ts";
import { WrongSetting } from "@florin/server/config.ts";
import { StartupError } from "@florin/server/platform/database/startup-error.ts";
import {
  findService,
  type Service,
  unexpectedResponse,
  unreachableService,
} from "./running-service.ts";

/** The amount, currency and card of the payment that causes the event. */
type TriggerOptions = { readonly amount: number; readonly currency: string; readonly card: string };

type Call = (service: Service, options: TriggerOptions) => Promise<ApiReply>;
type ApiReply = { readonly status: number; readonly body: Record<string, never> };

/** The API calls that cause each event, as a merchant's server makes them. */
const triggers: Readonly<Record<string, { readonly card: string; readonly call: Call }>> = {
  "payment.succeeded": { card: "pm_card_visa", call: charge({}) },
  payment_failed: { card: "pm_card_visa_chargeDeclined", call: charge({}) },
  "payment.authorized": { card: "pm_card_visa", call: charge({ capture_method: "manual" }) },
  "payment.requires_action": {
    card: "pm_card_threeDSecure2Required",
    call: charge({ return_url: "http://localhost/" }),
  },
  "checkout_session.expired": { card: "", call: expireSession },
  ping: { card: "", call: pingEndpoint },
};

/** `florin trigger payment_failed [--amount 1999] [--currency usd] [--card pm_…]`: causes the event with API calls. */
export async function trigger(config: Config, arguments_: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: arguments_,
    allowPositionals: true,
    options: {
      amount: { type: "string", default: "1999" },
      currency: { type: "string", default: "usd" },
      card: { type: "string" },
      url: { type: "string" },
      key: { type: "string" },
    },
  });
  if (positionals.length === 0) throw unknownEvent("");
  // Validates all events before causing the first.
  const requested = positionals.map((type) => ({ type, known: triggerOf(type) }));
  const amount = readAmount(values.amount);
  const service = await findService(config, values);
  for (const { type, known } of requested) {
    const { status, body } = await known.call(service, {
      amount,
      currency: values.currency,
      card: values.card ?? known.card,
    });
    const { id, error } = body as {
      id?: string;
      error?: { code: string; message: string; charge?: string };
    };
    // The event payment_failed requires a decline, which the API returns as an error with the charge's id. Only an
    // error without a charge is a failure of the command.
    if (status >= 400 && !error?.charge)
      throw new StartupError(`${type}: ${error?.message ?? status}`);
    console.log(`${type}: ${error?.charge ?? id} (${status}${error ? `, ${error.code}` : ""})`);
  }
  return 0;
}

function readAmount(text: string): number {
  if (/^[0-9]{1,12}$/.test(text)) return Number(text);
  throw new WrongSetting(
    `--amount must be an integer in the currency's smallest unit, such as 1999. Got '${text}'.`,
  );
}

function triggerOf(type: string) {
  const known = Object.hasOwn(triggers, type) ? triggers[type] : undefined;
  if (!known) throw unknownEvent(type);
  return known;
}

function unknownEvent(type: string): WrongSetting {
  const known = Object.keys(triggers).join(", ");
  return new WrongSetting(
    type === ""
      ? `Specify one or more events to trigger: ${known}.`
      : `'${type}' cannot be triggered. Specify one or more of: ${known}.`,
  );
}

function charge(more: object): Call {
  return (service, { amount, currency, card }) =>
    post(service, "/charges", { amount, currency, payment_method_id: card, ...more });
}

async function expireSession(
  service: Service,
  { amount, currency }: TriggerOptions,
): Promise<ApiReply> {
  const { status, body } = await post(service, "/checkout_sessions", { amount, currency });
  const { session } = body as { session?: { id: string } };
  if (!session) return { status, body };
  return post(service, `/checkout_sessions/${session.id}/expire`, {});
}

/** Pings the first endpoint. `florin listen` receives the event too. */
async function pingEndpoint(service: Service): Promise<ApiReply> {
  const { status, body } = await send(service, "GET", "/webhook_endpoints?limit=1");
  if (status >= 400) return { status, body };
  const [endpoint] = (body as { data?: { id: string }[] }).data ?? [];
  if (!endpoint)
    throw new StartupError(
      "The account has no webhook endpoint to ping. Create an endpoint first.",
    );
  return post(service, `/webhook_endpoints/${endpoint.id}/ping`, {});
}

/** The time limit of a request. The service responds after 28 s at most. */
const deadlineMs = 60_000;

const post = (service: Service, path: string, body: object) => send(service, "POST", path, body);

async function send(
  { url, key }: Service,
  method: string,
  path: string,
  body?: object,
): Promise<ApiReply> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
    redirect: "manual",
    signal: AbortSignal.timeout(deadlineMs),
  }).catch((error: unknown) => {
    throw unreachableService(url, error);
  });
  // A proxy, or another program at this URL, may return HTML.
  const isRedirect = response.status >= 300 && response.status < 400;
  const json = isRedirect
    ? null
    : ((await response.json().catch(() => null)) as ApiReply["body"] | null);
  if (json === null) throw unexpectedResponse(url, response);
  return { status: response.status, body: json };
}
