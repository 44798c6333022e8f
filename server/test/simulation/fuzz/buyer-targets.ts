import { BrowserScreen, ChallengeWindow } from "@florin/contract/challenge.ts";
import { ConfirmSession, StoreCard } from "@florin/contract/frame.ts";
import type { JsonSchema } from "@florin/contract/openapi.ts";
import type { TSchema } from "typebox";
import { AcquirerNotification } from "../../../src/acquiring/acquirer-notification.ts";
import { answerBank, createCardholder, rightCode } from "../../cardholder.ts";
import type { Client } from "../../client.ts";
import type { Random } from "../seeded-random.ts";
import type { FuzzedRoute, FuzzedService, Merchant, NetworkIds } from "./fuzzed-service.ts";
import type { Known } from "./known.ts";
import {
  awkwardPart,
  bentMessage,
  bodyText,
  type Fuzzed,
  formText,
  keyOf,
  newNetwork,
  type Target,
} from "./request.ts";
import { awkward, bends, createValues } from "./values.ts";

export type BuyerDeps = {
  readonly service: FuzzedService & { network(acsTransID: string): Promise<NetworkIds | null> };
  readonly client: Client;
  readonly known: Known;
  readonly merchant: () => Merchant;
};

/** A checkout session with its client secret, and the cards that were typed in its form. */
type Checkout = { readonly id: string; readonly secret: string; readonly cards: string[] };

/** An authentication in progress, with everything that the parties of 3-D Secure know of it. */
type Authentication = {
  /** The path of the challenge document. */
  readonly path: string;
  readonly secret: string;
  readonly account: string;
  readonly chargeId: string;
  /** The forms that the browser posts, by the path that they are posted to. */
  readonly forms: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly creq: Readonly<Record<string, string>> | null;
  readonly network: NetworkIds | null;
};

/** Every body that these routes read. Their handlers validate it themselves. */
const bodies: Readonly<Record<string, TSchema>> = {
  "POST /vault/cards": StoreCard,
  "POST /embed/api/checkout_sessions/:id/confirm": ConfirmSession,
  "POST /challenge/:account/:mode/:id/authenticate": BrowserScreen,
  "POST /challenge/:account/:mode/:id/challenge": ChallengeWindow,
};

const cardNumbers = [
  "4242424242424242",
  "4000002760003184",
  "4000003220000001",
  "4000000000000002",
  "4242424242424241",
  "378282246310005",
  "123456789012",
];

/** Cards whose authentication has a hidden page, a challenge, both or neither. */
const authenticated = [
  "pm_card_threeDSecure2Required",
  "pm_card_threeDSecureRequired",
  "pm_card_authenticationRequired",
];

/** Generates requests for the routes of buyers' browsers, and of the banks and networks that authenticate them. */
export function buyerTargets(deps: BuyerDeps): Target[] {
  const { service, client, known, merchant } = deps;
  const checkouts = reused((chance) => createCheckout(chance), 12);
  const authentications = reused((chance) => createKeyAuthentication(chance), 12);

  return [
    ...service.routes.filter(({ url }) => /^\/(embed\/api|vault)\//.test(url)).map(cardForm),
    ...service.routes.filter(({ url }) => url.startsWith("/challenge/")).map(challenge),
    ...service.routes
      .filter(({ url }) => /^\/(three-d-secure|simulator)\//.test(url))
      .map(threeDSecure),
    ...service.internalRoutes.map((route) =>
      route.url.includes("/notifications/") ? notifications(route) : simulatedNetwork(route),
    ),
  ];

  function cardForm({ method, url }: FuzzedRoute): Target {
    const route = `${method} ${url}`;
    const schema = bodies[route];
    return {
      route,
      group: "card form",
      async fuzz(chance) {
        const checkout = await checkouts(chance);
        const mutate = chance.pick(bends);
        const values = createValues({}, known, chance, (property) => {
          if (property === "checkout_session_id") return checkout.id;
          if (property === "number") return chance.pick(cardNumbers);
          if (property === "exp_year") return 2040;
          if (property !== "payment_method_id") return undefined;
          return checkout.cards.length > 0 ? chance.pick(checkout.cards) : known.id("pm", chance);
        });
        const id = chance.happens(0.95) ? checkout.id : awkwardPart(chance);
        return {
          ...bentMethod(method, chance),
          path: url.replace(":id", id) + rareQuery(chance),
          sent: {
            ...(schema && { body: bodyText(asJson(schema), mutate, chance, values) }),
            ...(!schema && method === "POST" && chance.happens(0.5) && { body: "{}" }),
            headers: {
              ...bearer(checkout.secret, chance),
              ...(chance.happens(0.9) && { "idempotency-key": keyOf(chance) }),
            },
          },
          note({ status, body }) {
            if (status === 201) checkout.cards.push(body.payment_method_id);
          },
        };
      },
    };
  }

  function challenge({ method, url }: FuzzedRoute): Target {
    const route = `${method} ${url}`;
    const schema = bodies[route];
    return {
      route,
      group: "card form",
      async fuzz(chance) {
        const { path, secret } = await authentications(chance);
        const mutate = chance.pick(bends);
        const rest = url.replace("/challenge/:account/:mode/:id", "");
        const place = chance.happens(0.93)
          ? path
          : path.replace(/[^/]+$/, () => awkwardPart(chance));
        return {
          ...bentMethod(method, chance),
          path: place + rest + rareQuery(chance),
          sent: {
            ...(schema && {
              body: bodyText(asJson(schema), mutate, chance, createValues({}, known, chance)),
            }),
            ...(!schema && method === "POST" && chance.happens(0.5) && { body: "{}" }),
            headers: bearer(secret, chance),
          },
        };
      },
    };
  }

  function threeDSecure({ method, url }: FuzzedRoute): Target {
    return {
      route: `${method} ${url}`,
      group: "3-D Secure",
      async fuzz(chance): Promise<Fuzzed> {
        if (method === "GET") return { ...bentMethod(method, chance), path: url, sent: {} };
        const { forms, network } = await authentications(chance);
        const mutate = chance.pick(bends);
        const pattern = new RegExp(`^${url.replace(/:\w+/g, "[^/]+")}$`);
        const [known, fields] = [...forms].find(([path]) => pattern.test(path)) ?? [];
        const path =
          known ?? url.replace(/:\w+/g, () => (chance.happens(0.5) ? "test" : awkwardPart(chance)));
        if (url.includes("/results/")) {
          const results = network ? new URL(network.resultsURL).pathname : path;
          const body = JSON.stringify(bentMessage(resultOf(network, chance), mutate, chance));
          return { method, path: results, sent: { body, headers: forwarded(chance) } };
        }
        const body = formText(fields ?? { creq: "e30", threeDSMethodData: "e30" }, mutate, chance);
        const type = chance.happens(0.97)
          ? "application/x-www-form-urlencoded"
          : "application/json";
        return {
          ...bentMethod(method, chance),
          path: chance.happens(0.95) ? path : `${path}A`,
          sent: { body, headers: { "content-type": type, ...forwarded(chance) } },
        };
      },
    };
  }

  function simulatedNetwork({ method, url }: FuzzedRoute): Target {
    return {
      route: `internal ${method} ${url}`,
      group: "simulated network",
      async fuzz(chance) {
        const { network } = await authentications(chance);
        const mutate = chance.pick(bends);
        const isResults = url.includes("/results/");
        const message =
          isResults || chance.happens(0.4) ? resultOf(network, chance) : requestOf(network, chance);
        const path = isResults && network ? new URL(network.resultsURL).pathname : url;
        const whole = chance.happens(0.05) ? chance.pick(["", "[]", "{", "null", "7"]) : null;
        return {
          method,
          path,
          sent: { body: whole ?? JSON.stringify(bentMessage(message, mutate, chance)) },
        };
      },
    };
  }

  function notifications({ method, url }: FuzzedRoute): Target {
    return {
      route: `internal ${method} ${url}`,
      group: "simulated network",
      fuzz(chance) {
        const values = createValues({}, known, chance, (property) => {
          if (property === "account") return merchant().account;
          if (property === "reference") return known.id(chance.pick(["ch", "re", "op"]), chance);
          return property === "charge" ? known.id("ch", chance) : undefined;
        });
        const secret = chance.happens(0.9) ? service.secrets.notifications : awkwardPart(chance);
        const body = bodyText(asJson(AcquirerNotification), chance.pick(bends), chance, values);
        return { method, path: url.replace(":secret", secret), sent: { body } };
      },
    };
  }

  async function createCheckout(chance: Random): Promise<Checkout> {
    const { body } = await client.send("POST", "/api/v1/checkout_sessions", {
      body: {
        amount: chance.between(100, 9_000),
        currency: "usd",
        ...(chance.happens(0.3) && { three_d_secure: "always" }),
        ...(chance.happens(0.3) && { save_payment_method: true }),
      },
      headers: { authorization: `Bearer ${merchant().key}` },
    });
    // No session is created if the key was revoked in the meantime.
    if (!body?.session) return { id: known.id("cs", chance), secret: "cs_none", cards: [] };
    const secret = new URL(body.embed_url).hash.slice(1);
    return { id: body.session.id, secret, cards: [] };
  }

  /** Creates a charge that needs 3-D Secure and takes its authentication a random number of steps ahead. */
  async function createKeyAuthentication(chance: Random): Promise<Authentication> {
    const charged = await client.send("POST", "/api/v1/charges", {
      body: {
        amount: chance.between(100, 9_000),
        currency: "usd",
        payment_method_id: chance.pick(authenticated),
        return_url: "https://shop.example/thanks",
      },
      headers: { authorization: `Bearer ${merchant().key}` },
    });
    const url: string | undefined = charged.body?.next_action?.url;
    if (!url) return nowhere;
    const cardholder = createCardholder({ send: client.send }, url);
    const [, , account = "", , chargeId = ""] = cardholder.path.split("/");
    const forms = new Map<string, Readonly<Record<string, string>>>();
    const started = { path: cardholder.path, secret: cardholder.secret, account, chargeId, forms };
    const steps = chance.between(0, 3);
    if (steps === 0) return { ...started, creq: null, network: null };

    const { body: first } = await cardholder.begin();
    if (first?.step === "method") {
      const fields = { threeDSMethodData: first.method.data };
      const data = JSON.parse(Buffer.from(first.method.data, "base64url").toString());
      forms.set(new URL(first.method.url).pathname, fields);
      forms.set(new URL(data.threeDSMethodNotificationURL).pathname, fields);
    }
    if (steps === 1) return { ...started, creq: null, network: null };
    if ((await cardholder.approach()) !== "challenge")
      return { ...started, creq: null, network: null };

    const { body: form } = await cardholder.challenge();
    const fields = { creq: form.creq, threeDSSessionData: form.three_ds_session_data };
    forms.set(new URL(form.action).pathname, fields);
    const creq = JSON.parse(Buffer.from(form.creq, "base64url").toString());
    const page = await cardholder.meetBank();
    if (page.form) {
      forms.set(page.form.path, { ...page.form.fields, action: "submit", code: "123456" });
      const ended = steps === 3 ? await answerBank({ send: client.send }, page, rightCode) : null;
      if (ended?.form) forms.set(ended.form.path, ended.form.fields);
    }
    return { ...started, creq, network: await service.network(creq.acsTransID) };
  }

  function bearer(secret: string, chance: Random) {
    const text = chance.happens(0.93)
      ? secret
      : chance.pick(["", "x".repeat(3_000), merchant().key, `${secret}A`]);
    return {
      ...(chance.happens(0.97) && { authorization: `Bearer ${text}` }),
      ...forwarded(chance),
      ...(chance.happens(0.05) && { "accept-language": chance.pick(languages) }),
    };
  }
}

const nowhere: Authentication = {
  path: "/challenge/acct_none/test/ch_none",
  secret: "none",
  account: "acct_none",
  chargeId: "ch_none",
  forms: new Map(),
  creq: null,
  network: null,
};

export const languages = ["de", "ar,en;q=0.5", "*", "x".repeat(2_000), ";;,,q=", "zh-Hant-TW"];

/** Returns the last object for a few requests, and then creates another. */
function reused<Item>(create: (chance: Random) => Promise<Item>, uses: number) {
  let current: Promise<Item> | null = null;
  let left = 0;
  return (chance: Random): Promise<Item> => {
    if (!current || left-- <= 0) {
      left = chance.between(1, uses);
      current = create(chance);
    }
    return current;
  };
}

function bentMethod(method: string, chance: Random): { readonly method: string } {
  return { method: chance.happens(0.02) ? chance.pick(["PUT", "HEAD", "GET", "POST"]) : method };
}

function rareQuery(chance: Random): string {
  if (!chance.happens(0.05)) return "";
  return `?${chance.pick(["locale", "x"])}=${encodeURIComponent(chance.pick(awkward).toWellFormed())}`;
}

function forwarded(chance: Random) {
  return { "x-forwarded-for": newNetwork(chance) };
}

function asJson(schema: TSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema));
}

const nobody = "00000000-0000-4000-8000-000000000000";

/** The result of a challenge, from the issuer over the directory server to the service (EMV 3DS RReq). */
function resultOf(network: NetworkIds | null, chance: Random) {
  return {
    messageType: "RReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    threeDSServerTransID: network?.threeDSServerTransID ?? nobody,
    acsTransID: network?.acsTransID ?? nobody,
    dsTransID: network?.dsTransID ?? nobody,
    transStatus: chance.pick(["Y", "N", "A", "U"]),
    authenticationValue: "AAECAwQFBgcICQoLDA0ODxAREhM=",
    eci: "05",
  };
}

/** The request to authenticate, from the service over the directory server to the issuer (EMV 3DS AReq). */
function requestOf(network: NetworkIds | null, chance: Random) {
  return {
    messageType: "AReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    deviceChannel: "02",
    threeDSServerTransID: network?.threeDSServerTransID ?? nobody,
    threeDSCompInd: chance.pick(["Y", "N", "U"]),
    threeDSRequestorAuthenticationInd: "01",
    threeDSRequestorID: "stranger",
    threeDSRequestorName: "stranger",
    threeDSRequestorURL: "https://stranger.example",
    threeDSServerRefNumber: "stranger",
    threeDSServerURL: network?.resultsURL ?? "https://stranger.example",
    acctNumber: chance.pick(["4000002760003184", "4242424242424242", "4000003220000001"]),
    acquirerBIN: "1",
    acquirerMerchantID: "stranger",
    mcc: "5999",
    merchantName: "stranger",
    merchantCountryCode: "840",
    notificationURL: network?.notificationURL ?? "https://stranger.example",
    purchaseAmount: "100",
    purchaseCurrency: "840",
    purchaseExponent: "2",
    purchaseDate: "20260101000000",
    browserAcceptHeader: "*/*",
    browserUserAgent: "stranger",
    browserLanguage: "en",
    browserJavascriptEnabled: true,
    dsTransID: network?.dsTransID ?? nobody,
    dsReferenceNumber: "stranger",
    dsURL: "https://stranger.example",
  };
}
