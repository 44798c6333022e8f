import { Secret, TOTP } from "otpauth";
import { browserAddress } from "../../../src/identity/people/browser-address.ts";
import { createDevice } from "../../device.ts";
import type { Random } from "../seeded-random.ts";
import type { FuzzedRoute, FuzzedService, Operator, Person } from "./fuzzed-service.ts";
import type { Known } from "./known.ts";
import {
  awkwardPart,
  bodyText,
  type Credential,
  type Fuzzed,
  newNetwork,
  parametersOf,
  queryOf,
  type Target,
} from "./request.ts";
import { bends, createValues, type Hint } from "./values.ts";

type SignedIn = { readonly person: () => Person; readonly operator: () => Operator };

/** Generates requests for the routes of people, `/auth/v1`, and of the admin console, `/operator/v1`. */
export function peopleTargets(service: FuzzedService, known: Known, as: SignedIn): Target[] {
  const device = createDevice(browserAddress(service.url));
  return service.routes
    .filter(({ url }) => /^\/(auth|operator)\/v1\//.test(url))
    .map((route): Target => {
      const isConsole = route.url.startsWith("/operator/");
      return {
        route: `${route.method} ${route.url}`,
        group: isConsole ? "admin console" : "people",
        fuzz: (chance) =>
          isConsole
            ? fuzzRoute(route, "operator", as.operator(), consoleHints(known, chance))
            : fuzzRoute(route, "person", as.person(), personHints(as.person(), chance)),
      };

      function fuzzRoute(
        { method, url, body, query }: FuzzedRoute,
        credential: Credential,
        { cookie, accounts = [] }: { readonly cookie: string; readonly accounts?: string[] },
        [chance, hint]: readonly [Random, Hint],
      ): Fuzzed {
        const mutate = chance.pick(bends);
        const values = createValues({}, known, chance, hint);
        const path = url.replace(/:(\w+)/g, (_, name: string) =>
          mutate === "unicode" || chance.happens(0.05)
            ? awkwardPart(chance)
            : encodeURIComponent(pathPart(name, url, accounts, chance)),
        );
        const hasBody = method === "POST" && (body !== null || chance.happens(0.2));
        const isSignedIn = chance.happens(0.95);
        return {
          method: chance.happens(0.02) ? chance.pick(["PUT", "HEAD", "GET", "DELETE"]) : method,
          path: path + queryOf(parametersOf(query), mutate, chance, values),
          ...(isSignedIn && { as: credential }),
          note: ({ status, body: replied }) => {
            if (status < 300) known.note(replied);
          },
          sent: {
            ...(hasBody && { body: bodyText(body ?? { type: "object" }, mutate, chance, values) }),
            headers: {
              ...(url.endsWith("/outbox")
                ? // The list of sent mails is for browsers on this machine that have its link.
                  { authorization: `Bearer ${chance.happens(0.9) ? service.secrets.outbox : "x"}` }
                : { "x-forwarded-for": newNetwork(chance) }),
              ...(isSignedIn && { cookie }),
              ...(chance.happens(0.97) && { "sec-fetch-site": "same-origin" }),
              ...(chance.happens(0.01) && { "content-type": "text/plain" }),
            },
          },
        };
      }
    });

  function pathPart(name: string, url: string, accounts: readonly string[], chance: Random) {
    switch (name) {
      // Only accounts that were created for this, because the console suspends and closes accounts.
      case "account":
        return chance.happens(0.9) ? chance.pick(accounts) : known.id("ch", chance);
      case "person":
        return known.id("per", chance);
      case "document":
        return known.id("doc", chance);
      case "proposal":
        return known.object("proposal", chance) ?? known.id("prop", chance);
      default:
        return known.object(url.includes("passkeys") ? "passkey" : "session", chance) ?? "none";
    }
  }

  function personHints(person: Person, chance: Random): readonly [Random, Hint] {
    const hint: Hint = (property) => {
      switch (property) {
        case "email":
          return chance.happens(0.7)
            ? person.email
            : chance.happens(0.5)
              ? known.value("email", chance)
              : `new.${chance.between(1, 1_000)}@example.com`;
        case "password":
          return chance.happens(0.7) ? person.password : "another that is long enough";
        case "token":
          return known.value("token", chance);
        case "totp_code":
          return totpCode(known.value("secret", chance));
        case "recovery_code":
          return known.value("recovery_codes", chance);
        case "answer": {
          const challenge = String(known.value("challenge", chance) ?? "AAAA");
          return chance.happens(0.5) ? device.register(challenge) : device.answer(challenge);
        }
        default:
          return undefined;
      }
    };
    return [chance, hint];
  }
}

/** A version, a reason or an address that the console has shown. */
function consoleHints(known: Known, chance: Random): readonly [Random, Hint] {
  return [
    chance,
    (property) =>
      ["version", "email", "search", "actor_id", "object_id", "starting_after"].includes(property)
        ? known.value(property === "search" ? "name" : property, chance)
        : undefined,
  ];
}

function totpCode(secret: string | number | undefined): string | undefined {
  if (typeof secret !== "string" || !/^[A-Z2-7]{16,}$/.test(secret)) return undefined;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate();
}
