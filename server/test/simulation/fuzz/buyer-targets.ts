import { BrowserScreen, ChallengeWindow } from "@florin/contract/challenge.ts";
import {
  ConfirmSession,
  StartAppleSession,
  StoreCard,
  StoreWalletToken,
} from "@florin/contract/frame.ts";
import type { JsonSchema } from "@florin/contract/openapi.ts";
import type { TSchema } from "typebox";
import { AcquirerNotification } from "../../../src/acquiring/acquirer-notification.ts";
import { createCardholder, rightCode, submitToIssuer } from "../../cardholder.ts";
import type { Client } from "../../client.ts";
import type { Random } from "../seeded-random.ts";
import type { FuzzedRoute, FuzzedService, Merchant, NetworkIds } from "./fuzzed-service.ts";
import { createValueGenerator, mutationKinds, problematicStrings } from "./generated-values.ts";
import {
  bodyText,
  type FuzzedRequest,
  formText,
  keyOf,
  mutateMessage,
  newNetwork,
  problematicPathPart,
  type Target,
} from "./request.ts";
import type { ResponseValues } from "./response-values.ts";

export type BuyerDeps = {
  readonly service: FuzzedService & { network(acsTransID: string): Promise<NetworkIds | null> };
  readonly client: Client;
  readonly known: ResponseValues;
  readonly merchant: () => Merchant;
};

/** A checkout session with its client secret and the cards that were stored from its form. */
type Checkout = { readonly id: string; readonly secret: string; readonly cards: string[] };

/** An authentication in progress, with the data of the browser, the issuer and the card network. */
type Authentication = {
  /** The path of the challenge document. */
  readonly path: string;
  readonly secret: string;
  readonly account: string;
  readonly chargeId: string;
  /** The fields of each form that the browser posts, by the path of the request. */
  readonly forms: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly creq: Readonly<Record<string, string>> | null;
  readonly network: NetworkIds | null;
};

/**
 * The body schema of each route whose handler validates the body itself. The server's route table does not contain
 * these schemas.
 */
const bodies: Readonly<Record<string, TSchema>> = {
  "POST /vault/cards": StoreCard,
  "POST /vault/wallet_tokens": StoreWalletToken,
  "POST /embed/api/checkout_sessions/:id/confirm": ConfirmSession,
  "POST /embed/api/checkout_sessions/:id/apple_pay_session": StartAppleSession,
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

/** Cards whose authentication includes a hidden method page, a challenge, both or neither. */
const authenticated = [
  "pm_card_threeDSecure2Required",
  "pm_card_threeDSecureRequired",
  "pm_card_authenticationRequired",
];

/** Generates requests for the routes that buyers' browsers, issuers and card networks call. */
export function buyerTargets(deps: BuyerDeps): Target[] {
  const { service, client, known, merchant } = deps;
  const checkouts = reuseForSeveral((random) => createCheckout(random), 12);
  const authentications = reuseForSeveral((random) => createAuthentication(random), 12);

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
      async fuzz(random) {
        const checkout = await checkouts(random);
        const kind = random.pick(mutationKinds);
        const values = createValueGenerator({}, known, random, (property) => {
          if (property === "checkout_session_id") return checkout.id;
          if (property === "number") return random.pick(cardNumbers);
          if (property === "exp_year") return 2040;
          if (property !== "payment_method_id") return undefined;
          return checkout.cards.length > 0 ? random.pick(checkout.cards) : known.id("pm", random);
        });
        const id = random.happens(0.95) ? checkout.id : problematicPathPart(random);
        return {
          ...randomMethod(method, random),
          path: url.replace(":id", id) + rareQuery(random),
          sent: {
            ...(schema && { body: bodyText(asJson(schema), kind, random, values) }),
            ...(!schema && method === "POST" && random.happens(0.5) && { body: "{}" }),
            headers: {
              ...bearer(checkout.secret, random),
              ...(random.happens(0.9) && { "idempotency-key": keyOf(random) }),
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
      async fuzz(random) {
        const { path, secret } = await authentications(random);
        const kind = random.pick(mutationKinds);
        const rest = url.replace("/challenge/:account/:mode/:id", "");
        const place = random.happens(0.93)
          ? path
          : path.replace(/[^/]+$/, () => problematicPathPart(random));
        return {
          ...randomMethod(method, random),
          path: place + rest + rareQuery(random),
          sent: {
            ...(schema && {
              body: bodyText(asJson(schema), kind, random, createValueGenerator({}, known, random)),
            }),
            ...(!schema && method === "POST" && random.happens(0.5) && { body: "{}" }),
            headers: bearer(secret, random),
          },
        };
      },
    };
  }

  function threeDSecure({ method, url }: FuzzedRoute): Target {
    return {
      route: `${method} ${url}`,
      group: "3-D Secure",
      async fuzz(random): Promise<FuzzedRequest> {
        if (method === "GET") return { ...randomMethod(method, random), path: url, sent: {} };
        const { forms, network } = await authentications(random);
        const kind = random.pick(mutationKinds);
        const pattern = new RegExp(`^${url.replace(/:\w+/g, "[^/]+")}$`);
        const [known, fields] = [...forms].find(([path]) => pattern.test(path)) ?? [];
        const path =
          known ??
          url.replace(/:\w+/g, () => (random.happens(0.5) ? "test" : problematicPathPart(random)));
        if (url.includes("/results/")) {
          const results = network ? new URL(network.resultsURL).pathname : path;
          const body = JSON.stringify(mutateMessage(resultOf(network, random), kind, random));
          return { method, path: results, sent: { body, headers: forwarded(random) } };
        }
        const body = formText(fields ?? { creq: "e30", threeDSMethodData: "e30" }, kind, random);
        const type = random.happens(0.97)
          ? "application/x-www-form-urlencoded"
          : "application/json";
        return {
          ...randomMethod(method, random),
          path: random.happens(0.95) ? path : `${path}A`,
          sent: { body, headers: { "content-type": type, ...forwarded(random) } },
        };
      },
    };
  }

  function simulatedNetwork({ method, url }: FuzzedRoute): Target {
    return {
      route: `internal ${method} ${url}`,
      group: "simulated network",
      async fuzz(random) {
        const { network } = await authentications(random);
        const kind = random.pick(mutationKinds);
        const isResults = url.includes("/results/");
        const message =
          isResults || random.happens(0.4) ? resultOf(network, random) : requestOf(network, random);
        const path = isResults && network ? new URL(network.resultsURL).pathname : url;
        const whole = random.happens(0.05) ? random.pick(["", "[]", "{", "null", "7"]) : null;
        return {
          method,
          path,
          sent: { body: whole ?? JSON.stringify(mutateMessage(message, kind, random)) },
        };
      },
    };
  }

  function notifications({ method, url }: FuzzedRoute): Target {
    return {
      route: `internal ${method} ${url}`,
      group: "simulated network",
      fuzz(random) {
        const values = createValueGenerator({}, known, random, (property) => {
          if (property === "account") return merchant().account;
          if (property === "reference") return known.id(random.pick(["ch", "re", "op"]), random);
          return property === "charge" ? known.id("ch", random) : undefined;
        });
        const secret = random.happens(0.9)
          ? service.secrets.notifications
          : problematicPathPart(random);
        const body = bodyText(
          asJson(AcquirerNotification),
          random.pick(mutationKinds),
          random,
          values,
        );
        return { method, path: url.replace(":secret", secret), sent: { body } };
      },
    };
  }

  async function createCheckout(random: Random): Promise<Checkout> {
    const { body } = await client.send("POST", "/api/v1/checkout_sessions", {
      body: {
        amount: random.between(100, 9_000),
        currency: "usd",
        ...(random.happens(0.3) && { three_d_secure: "always" }),
        ...(random.happens(0.3) && { save_payment_method: true }),
      },
      headers: { authorization: `Bearer ${merchant().key}` },
    });
    // The response contains no session if the key was revoked in the meantime.
    if (!body?.session) return { id: known.id("cs", random), secret: "cs_none", cards: [] };
    const secret = new URL(body.embed_url).hash.slice(1);
    return { id: body.session.id, secret, cards: [] };
  }

  /** Creates a charge that requires 3-D Secure, and performs a random number of steps of its authentication. */
  async function createAuthentication(random: Random): Promise<Authentication> {
    const charged = await client.send("POST", "/api/v1/charges", {
      body: {
        amount: random.between(100, 9_000),
        currency: "usd",
        payment_method_id: random.pick(authenticated),
        return_url: "https://shop.example/thanks",
      },
      headers: { authorization: `Bearer ${merchant().key}` },
    });
    const url: string | undefined = charged.body?.next_action?.url;
    if (!url) return unknownAuthentication;
    const cardholder = createCardholder({ send: client.send }, url);
    const [, , account = "", , chargeId = ""] = cardholder.path.split("/");
    const forms = new Map<string, Readonly<Record<string, string>>>();
    const started = { path: cardholder.path, secret: cardholder.secret, account, chargeId, forms };
    const steps = random.between(0, 3);
    if (steps === 0) return { ...started, creq: null, network: null };

    const { body: first } = await cardholder.begin();
    if (first?.step === "method") {
      const fields = { threeDSMethodData: first.method.data };
      const data = JSON.parse(Buffer.from(first.method.data, "base64url").toString());
      forms.set(new URL(first.method.url).pathname, fields);
      forms.set(new URL(data.threeDSMethodNotificationURL).pathname, fields);
    }
    if (steps === 1) return { ...started, creq: null, network: null };
    if ((await cardholder.runUntilAres()) !== "challenge")
      return { ...started, creq: null, network: null };

    const { body: form } = await cardholder.challenge();
    const { fields } = form;
    forms.set(new URL(form.url).pathname, fields);
    const creq = JSON.parse(Buffer.from(fields.creq, "base64url").toString());
    const page = await cardholder.openIssuerPage();
    if (page.form) {
      forms.set(page.form.path, { ...page.form.fields, action: "submit", code: "123456" });
      const ended =
        steps === 3 ? await submitToIssuer({ send: client.send }, page, rightCode) : null;
      if (ended?.form) forms.set(ended.form.path, ended.form.fields);
    }
    return { ...started, creq, network: await service.network(creq.acsTransID) };
  }

  function bearer(secret: string, random: Random) {
    const text = random.happens(0.93)
      ? secret
      : random.pick(["", "x".repeat(3_000), merchant().key, `${secret}A`]);
    return {
      ...(random.happens(0.97) && { authorization: `Bearer ${text}` }),
      ...forwarded(random),
      ...(random.happens(0.05) && { "accept-language": random.pick(languages) }),
    };
  }
}

const unknownAuthentication: Authentication = {
  path: "/challenge/acct_none/test/ch_none",
  secret: "none",
  account: "acct_none",
  chargeId: "ch_none",
  forms: new Map(),
  creq: null,
  network: null,
};

export const languages = ["de", "ar,en;q=0.5", "*", "x".repeat(2_000), ";;,,q=", "zh-Hant-TW"];

/** Returns a function that returns the same item for up to `uses` calls, and then creates another. */
function reuseForSeveral<Item>(create: (random: Random) => Promise<Item>, uses: number) {
  let current: Promise<Item> | null = null;
  let left = 0;
  return (random: Random): Promise<Item> => {
    if (!current || left-- <= 0) {
      left = random.between(1, uses);
      current = create(random);
    }
    return current;
  };
}

function randomMethod(method: string, random: Random): { readonly method: string } {
  return { method: random.happens(0.02) ? random.pick(["PUT", "HEAD", "GET", "POST"]) : method };
}

function rareQuery(random: Random): string {
  if (!random.happens(0.05)) return "";
  return `?${random.pick(["locale", "x"])}=${encodeURIComponent(random.pick(problematicStrings).toWellFormed())}`;
}

function forwarded(random: Random) {
  return { "x-forwarded-for": newNetwork(random) };
}

function asJson(schema: TSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema));
}

const unknownTransactionId = "00000000-0000-4000-8000-000000000000";

/** Returns an RReq: the result of a challenge, which the issuer sends to the service through the directory server. */
function resultOf(network: NetworkIds | null, random: Random) {
  return {
    messageType: "RReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    threeDSServerTransID: network?.threeDSServerTransID ?? unknownTransactionId,
    acsTransID: network?.acsTransID ?? unknownTransactionId,
    dsTransID: network?.dsTransID ?? unknownTransactionId,
    transStatus: random.pick(["Y", "N", "A", "U"]),
    authenticationValue: "AAECAwQFBgcICQoLDA0ODxAREhM=",
    eci: "05",
  };
}

/** Returns an AReq: the authentication request, which the service sends to the issuer through the directory server. */
function requestOf(network: NetworkIds | null, random: Random) {
  return {
    messageType: "AReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    deviceChannel: "02",
    threeDSServerTransID: network?.threeDSServerTransID ?? unknownTransactionId,
    threeDSCompInd: random.pick(["Y", "N", "U"]),
    threeDSRequestorAuthenticationInd: "01",
    threeDSRequestorID: "unknown",
    threeDSRequestorName: "unknown",
    threeDSRequestorURL: "https://unknown.example",
    threeDSServerRefNumber: "unknown",
    threeDSServerURL: network?.resultsURL ?? "https://unknown.example",
    acctNumber: random.pick(["4000002760003184", "4242424242424242", "4000003220000001"]),
    acquirerBIN: "1",
    acquirerMerchantID: "unknown",
    mcc: "5999",
    merchantName: "unknown",
    merchantCountryCode: "840",
    notificationURL: network?.notificationURL ?? "https://unknown.example",
    purchaseAmount: "100",
    purchaseCurrency: "840",
    purchaseExponent: "2",
    purchaseDate: "20260101000000",
    browserAcceptHeader: "*/*",
    browserUserAgent: "unknown",
    browserLanguage: "en",
    browserJavascriptEnabled: true,
    dsTransID: network?.dsTransID ?? unknownTransactionId,
    dsReferenceNumber: "unknown",
    dsURL: "https://unknown.example",
  };
}
