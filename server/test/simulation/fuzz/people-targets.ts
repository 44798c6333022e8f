import { Secret, TOTP } from "otpauth";
import { browserAddress } from "../../../src/identity/people/browser-address.ts";
import { createDevice } from "../../device.ts";
import type { Random } from "../seeded-random.ts";
import type { FuzzedRoute, FuzzedService, Operator, Person } from "./fuzzed-service.ts";
import { createValueGenerator, type Hint, mutationKinds } from "./generated-values.ts";
import {
  bodyText,
  type Credential,
  type FuzzedRequest,
  newNetwork,
  parametersOf,
  problematicPathPart,
  queryOf,
  type Target,
} from "./request.ts";
import type { ResponseValues } from "./response-values.ts";

type SignedIn = { readonly person: () => Person; readonly operator: () => Operator };

/** Generates requests for `/auth/v1`, the routes for people, and `/operator/v1`, the routes of the admin console. */
export function peopleTargets(
  service: FuzzedService,
  known: ResponseValues,
  as: SignedIn,
): Target[] {
  const device = createDevice(browserAddress(service.url));
  return service.routes
    .filter(({ url }) => /^\/(auth|operator)\/v1\//.test(url))
    .map((route): Target => {
      const isConsole = route.url.startsWith("/operator/");
      return {
        route: `${route.method} ${route.url}`,
        group: isConsole ? "admin console" : "people",
        fuzz: (random) =>
          isConsole
            ? fuzzRoute(route, "operator", as.operator(), consoleHints(known, random))
            : fuzzRoute(route, "person", as.person(), personHints(as.person(), random)),
      };

      function fuzzRoute(
        { method, url, body, query }: FuzzedRoute,
        credential: Credential,
        { cookie, accounts = [] }: { readonly cookie: string; readonly accounts?: string[] },
        [random, hint]: readonly [Random, Hint],
      ): FuzzedRequest {
        const kind = random.pick(mutationKinds);
        const values = createValueGenerator({}, known, random, hint);
        const path = url.replace(/:(\w+)/g, (_, name: string) =>
          kind === "unicode" || random.happens(0.05)
            ? problematicPathPart(random)
            : encodeURIComponent(pathPart(name, url, accounts, random)),
        );
        const hasBody = method === "POST" && (body !== null || random.happens(0.2));
        const isSignedIn = random.happens(0.95);
        return {
          method: random.happens(0.02) ? random.pick(["PUT", "HEAD", "GET", "DELETE"]) : method,
          path: path + queryOf(parametersOf(query), kind, random, values),
          ...(isSignedIn && { as: credential }),
          note: ({ status, body: replied }) => {
            if (status < 300) known.note(replied);
          },
          sent: {
            ...(hasBody && { body: bodyText(body ?? { type: "object" }, kind, random, values) }),
            headers: {
              ...(url.endsWith("/inbox")
                ? // The demo inbox is available only to browsers on this machine that have its secret.
                  { authorization: `Bearer ${random.happens(0.9) ? service.secrets.inbox : "x"}` }
                : { "x-forwarded-for": newNetwork(random) }),
              ...(isSignedIn && { cookie }),
              ...(random.happens(0.97) && { "sec-fetch-site": "same-origin" }),
              ...(random.happens(0.01) && { "content-type": "text/plain" }),
            },
          },
        };
      }
    });

  function pathPart(name: string, url: string, accounts: readonly string[], random: Random) {
    switch (name) {
      // Use separate accounts, because the admin console suspends and closes accounts.
      case "account":
        return random.happens(0.9) ? random.pick(accounts) : known.id("ch", random);
      case "person":
        return known.id("per", random);
      case "document":
        return known.id("doc", random);
      case "proposal":
        return known.object("proposal", random) ?? known.id("prop", random);
      default:
        return known.object(url.includes("passkeys") ? "passkey" : "session", random) ?? "none";
    }
  }

  function personHints(person: Person, random: Random): readonly [Random, Hint] {
    const hint: Hint = (property) => {
      switch (property) {
        case "email":
          return random.happens(0.7)
            ? person.email
            : random.happens(0.5)
              ? known.value("email", random)
              : `new.${random.between(1, 1_000)}@example.com`;
        case "password":
          return random.happens(0.7) ? person.password : "another password that is long enough";
        case "token":
          return known.value("token", random);
        case "totp_code":
          return totpCode(known.value("secret", random));
        case "recovery_code":
          return known.value("recovery_codes", random);
        case "credential": {
          const challenge = String(known.value("challenge", random) ?? "AAAA");
          return random.happens(0.5) ? device.register(challenge) : device.authenticate(challenge);
        }
        default:
          return undefined;
      }
    };
    return [random, hint];
  }
}

/**
 * Returns `random` and a hint that supplies versions, names, email addresses and IDs from earlier responses of the
 * admin console.
 */
function consoleHints(known: ResponseValues, random: Random): readonly [Random, Hint] {
  return [
    random,
    (property) =>
      ["version", "email", "search", "actor_id", "object_id", "starting_after"].includes(property)
        ? known.value(property === "search" ? "name" : property, random)
        : undefined,
  ];
}

function totpCode(secret: string | number | undefined): string | undefined {
  if (typeof secret !== "string" || !/^[A-Z2-7]{16,}$/.test(secret)) return undefined;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate();
}
