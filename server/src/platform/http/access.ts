import type { Permission } from "@florin/contract/permissions.ts";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import type { TSchema } from "typebox";
import { networkOf, siteOf } from "../../core/network.ts";
import { alone, type Siblings } from "../processes/siblings.ts";
import { createTokenBuckets } from "../processes/token-buckets.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";

/** The way a route authenticates its caller. */
export type Authentication =
  /** A secret key, or the session of a signed-in member of the account. */
  | "key_or_session"
  /** The session of a signed-in person. */
  | "session"
  /** The session of an operator with a second factor. */
  | "operator_session"
  /** The client secret of a checkout session or a charge. */
  | "client_secret"
  /** The secret in a callback URL that was issued for one authentication. */
  | "callback_secret"
  /** The signature of an acquirer over its notification. */
  | "acquirer_signature"
  | "public";

/** The authentication and limits of a route, stored in its Fastify config. */
export type Access = {
  readonly authentication: Authentication;
  /** The permission that a key or role must have. Only for routes that act for an account. */
  readonly permission?: Permission;
  /**
   * The limit that requests count against. With `account`, requests are counted after authentication: requests with a
   * key by account and mode, and other requests by signed-in person. `unlimited` contains the reason why there is no
   * limit.
   */
  readonly limit: keyof typeof networkLimits | "account" | { readonly unlimited: string };
  /**
   * The size limit of a body that the handler reads as it arrives. The server's body limit does not apply to such a
   * body.
   */
  readonly maxUploadBytes?: number;
};

/** The schemas of a route's input, stored in its Fastify config. */
export type Accepts = { readonly body?: TSchema; readonly query?: TSchema };

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    accepts?: Accepts;
    /** The schema of the route's response. */
    returns?: TSchema;
  }
}

/**
 * Limits for requests that are not counted by account. Each limit applies to one network (`networkOf`), which may be an
 * office, a school or a provider's NAT.
 */
export const networkLimits = {
  /** Pages and files. A browser sends about thirty requests for a page and its files. */
  pages: { perSecond: 200, burst: 1_000 },
  /** Steps of payments and authentications. */
  checkout: { perSecond: 50, burst: 200 },
  /** Cards that the card form stores. */
  cards: { perSecond: 10, burst: 10 },
  /** Notifications of acquirers. */
  acquirers: { perSecond: 1_000, burst: 5_000 },
  /** Sign-in and the settings of a user. */
  people: { perSecond: 50, burst: 200 },
  /** Requests whose key or session was not accepted. */
  failures: { perSecond: 5, burst: 100 },
} as const;

export type NetworkLimits = {
  /**
   * Counts a request. Throws 429 when the limit is exceeded. Returns a promise only if the request must wait for the
   * primary process.
   */
  count(
    kind: keyof typeof networkLimits,
    request: Pick<FastifyRequest, "ip">,
  ): void | Promise<void>;
  /** Returns whether the next request would exceed the limit. Counts nothing. */
  isExceeded(kind: keyof typeof networkLimits, request: Pick<FastifyRequest, "ip">): boolean;
};

/**
 * The limit of an IPv6 /48, as a multiple of the limit of one /64. A provider may assign each /64 to a different
 * customer.
 */
export const maxNetworksPerSite = 16;

export function createNetworkLimits(siblings: Siblings = alone): NetworkLimits {
  const code = "endpoint_rate_limit_exceeded";
  const limits = new Map<string, LimitPair>();
  for (const [kind, { perSecond, burst }] of Object.entries(networkLimits)) {
    const counted =
      kind === "failures"
        ? "rejected requests from one IP address range"
        : "requests from one IP address range";
    limits.set(kind, {
      network: createRateLimit(
        perSecond,
        { burst, counted, code },
        createTokenBuckets(`${kind} of network`, siblings),
      ),
      site: createRateLimit(
        perSecond * maxNetworksPerSite,
        { burst: burst * maxNetworksPerSite, counted, code },
        createTokenBuckets(`${kind} of site`, siblings),
      ),
      exceededAt: Number.NEGATIVE_INFINITY,
    });
  }

  function noteExceeded(limit: LimitPair, error: unknown): never {
    limit.exceededAt = performance.now();
    throw error;
  }

  return {
    count(kind, { ip }) {
      const limit = limits.get(kind) as LimitPair;
      // The network is counted first, so that its rejected requests do not use up the limit of its site.
      const countSite = () => {
        const site = siteOf(ip);
        return site === null ? null : limit.site(site);
      };
      try {
        const network = limit.network(networkOf(ip));
        const counted = network instanceof Promise ? network.then(countSite) : countSite();
        if (!(counted instanceof Promise)) return;
        return counted.then(
          () => undefined,
          (error) => noteExceeded(limit, error),
        );
      } catch (error) {
        noteExceeded(limit, error);
      }
    },
    isExceeded(kind, { ip }) {
      const limit = limits.get(kind) as LimitPair;
      // A limit that was not exceeded within the last second has a free token. Without an attack, only this check runs.
      if (performance.now() - limit.exceededAt > 1_000) return false;
      const site = siteOf(ip);
      return (
        limit.network.isExceeded(networkOf(ip)) || (site !== null && limit.site.isExceeded(site))
      );
    },
  };
}

type LimitPair = {
  readonly network: RateLimit;
  readonly site: RateLimit;
  /** The time at which a network last exceeded its limit. */
  exceededAt: number;
};

/** Counts each request before its body is read. A route that sets no limit is counted as a page. */
export function limitNetworks(app: FastifyInstance, limits: NetworkLimits): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const limit = request.routeOptions.config.access?.limit ?? "pages";
    try {
      const counted =
        typeof limit === "string" && limit !== "account" && limits.count(limit, request);
      if (counted) counted.then(() => done(), done);
      else done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Registers routes with a common `Access`, which a route may override. */
export function withAccess(
  app: FastifyInstance,
  access: Access,
  register: (routes: FastifyInstance) => void,
): void {
  app.register((routes, _options, done) => {
    routes.addHook("onRoute", (route: RouteOptions) => {
      route.config = { access, ...route.config };
    });
    register(routes);
    done();
  });
}

/** A registered route, for tests that check every route against the same rules. */
export type ServedRoute = {
  readonly method: string;
  readonly url: string;
  readonly access: Access | null;
  /** Null if the handler reads its input without a schema in the route's config. */
  readonly accepts: Accepts | null;
  /** The schema of the route's response. Null for routes in the OpenAPI document, and for routes without a schema. */
  readonly returns: TSchema | null;
  readonly bodyLimitBytes: number;
};

/** Collects the routes that are added after this call. */
export function collectRoutes(app: FastifyInstance): readonly ServedRoute[] {
  const routes: ServedRoute[] = [];
  app.addHook("onRoute", (route) => {
    for (const method of [route.method].flat()) {
      routes.push({
        method,
        url: route.url,
        // A getter, because the hook that sets the route's access may run after this hook.
        get access() {
          return route.config?.access ?? null;
        },
        accepts: route.config?.accepts ?? null,
        returns: route.config?.returns ?? null,
        get bodyLimitBytes() {
          const { bodyLimit = app.initialConfig.bodyLimit } = route;
          return route.config?.access?.maxUploadBytes ?? bodyLimit ?? Number.POSITIVE_INFINITY;
        },
      });
    }
  });
  return routes;
}
