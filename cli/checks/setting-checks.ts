import { isLoopback } from "@florin/server/core/loopback.ts";
import { isRemote } from "@florin/server/platform/database/connection-options.ts";
import { type Check, defineCheck, isPublic, type MachineContext } from "./check.ts";

const check = defineCheck<MachineContext>();

/** Checks of the settings, alone and combined. */
export const settingChecks: readonly Check<MachineContext>[] = [
  check({
    name: "demo",
    about: "The demo is off, or the server can be reached only from this machine.",
    outcomes: {
      public: {
        severity: "failed",
        when: "`FLORIN_DEMO=on` in production, or with an `https://` address that is not local",
        means:
          "The demo creates sample merchants, a user and API keys. Without a mail server it shows mail instead of sending it.",
        fix: "Leave `FLORIN_DEMO` out or set it to `off`. Merchants who sign up get test mode and test keys.",
      },
      network: {
        severity: "warning",
        when: "`FLORIN_DEMO=on`, and other machines reach the server",
        means:
          "Anyone who knows a demo key can use the demo merchants. Demo mail is shown only to browsers on this machine, with the link that `florin start` prints.",
        fix: "Set `FLORIN_DEMO=off`, or `HOST` to `127.0.0.1`.",
      },
    },
    find({ config }) {
      const { demo, publicUrl, environment } = config;
      if (!demo || !isPublic(config)) return null;
      const isServed = publicUrl?.startsWith("https:") && !isLocal(publicUrl);
      return { outcome: environment === "production" || isServed ? "public" : "network" };
    },
  }),
  check({
    name: "demo-shop",
    about: "The demo shop is off, or can be reached only from this machine.",
    outcomes: {
      network: {
        severity: "warning",
        when: "`SHOP_HOST` is not loopback while the demo is on",
        means:
          "Other people can place orders in the demo shop, which pays with the demo merchant's key.",
        fix: "Leave `SHOP_HOST` out.",
      },
    },
    find: ({ config }) =>
      config.demo && !isLoopback(config.shopHost) ? { outcome: "network" } : null,
  }),
  check({
    name: "public-url",
    about: "FLORIN_PUBLIC_URL is https, or the server can be reached only from this machine.",
    outcomes: {
      missing: {
        severity: "warning",
        when: "`FLORIN_PUBLIC_URL` is not set, and other machines reach the server",
        means:
          "Links in mail, the card form's URL and passkeys use the address that the server listens on.",
        fix: "Set `FLORIN_PUBLIC_URL` to the `https://` address of the proxy in front of the server.",
      },
      plain: {
        severity: "warning",
        when: "`FLORIN_PUBLIC_URL` is an `http://` address that is not local",
        means:
          "Card numbers and keys cross the network unencrypted (PCI DSS 4.2.1). Signing in to the dashboard is not possible.",
        fix: "Put a TLS proxy in front of the server and set `FLORIN_PUBLIC_URL` to its `https://` address.",
      },
      "plain-production": {
        severity: "failed",
        when: "`FLORIN_PUBLIC_URL` is an `http://` address that is not local, and `NODE_ENV=production`",
        means: "Card numbers and keys would cross the network unencrypted (PCI DSS 4.2.1).",
        fix: "Put a TLS proxy in front of the server and set `FLORIN_PUBLIC_URL` to its `https://` address.",
      },
    },
    find({ config }) {
      const { publicUrl, environment } = config;
      if (publicUrl === null) return isPublic(config) ? { outcome: "missing" } : null;
      if (publicUrl.startsWith("https:") || isLocal(publicUrl)) return null;
      return { outcome: environment === "production" ? "plain-production" : "plain" };
    },
  }),
  check({
    name: "trusted-proxies",
    about: "FLORIN_TRUSTED_PROXIES names the proxies that FLORIN_PUBLIC_URL needs.",
    outcomes: {
      none: {
        severity: "warning",
        when: "`FLORIN_PUBLIC_URL` is an `https://` address that is not local, and no proxy is trusted",
        means:
          "Florin serves plain HTTP behind a TLS proxy, so every request appears to come from the proxy's address. Limits on cards, sign-ins and requests then count all customers as one.",
        fix: "Set `FLORIN_TRUSTED_PROXIES` to the proxy's network, such as `127.0.0.0/8`.",
      },
      everyone: {
        severity: "failed",
        when: "`FLORIN_TRUSTED_PROXIES` contains every address (`/0`)",
        means:
          "Every client can forge its address with an `X-Forwarded-For` header. Limits are ineffective, and addresses in the audit log cannot be trusted.",
        fix: "Set `FLORIN_TRUSTED_PROXIES` to the networks of your proxies only.",
      },
    },
    find({ config: { trustedProxies, publicUrl } }) {
      if (trustedProxies.some((network) => network.endsWith("/0"))) return { outcome: "everyone" };
      const needsProxy = publicUrl?.startsWith("https:") && !isLocal(publicUrl);
      return needsProxy && trustedProxies.length === 0 ? { outcome: "none" } : null;
    },
  }),
  check({
    name: "rate-limit",
    about: "Requests are limited.",
    outcomes: {
      off: {
        severity: "warning",
        when: "`FLORIN_RATE_LIMIT=off`, and other machines reach the server",
        means:
          "Requests are not limited, and card numbers can be tested as fast as the server responds.",
        fix: "Leave `FLORIN_RATE_LIMIT` out, or set it to a number.",
      },
      "off-production": {
        severity: "failed",
        when: "`FLORIN_RATE_LIMIT=off` and `NODE_ENV=production`",
        means:
          "Requests would not be limited, and card numbers could be tested as fast as the server responds.",
        fix: "Leave `FLORIN_RATE_LIMIT` out, or set it to a number.",
      },
    },
    find({ config }) {
      if (config.rateLimit !== null || !isPublic(config)) return null;
      return { outcome: config.environment === "production" ? "off-production" : "off" };
    },
  }),
  check({
    name: "acquirers",
    about: "Live mode uses the acquirers' live environment, or the service is not in production.",
    outcomes: {
      sandbox: {
        severity: "warning",
        when: "`FLORIN_ACQUIRERS=sandbox` and `NODE_ENV=production`",
        means: "Live charges are approved in the acquirers' sandboxes, and no money moves.",
        fix: "Leave `FLORIN_ACQUIRERS` out on the instance that charges real cards.",
      },
    },
    find: ({ config: { acquirers, environment } }) =>
      acquirers === "sandbox" && environment === "production" ? { outcome: "sandbox" } : null,
  }),
  check({
    name: "private-webhooks",
    about:
      "Test mode sends webhooks only to public addresses, or the server can be reached only from this machine.",
    outcomes: {
      on: {
        severity: "warning",
        when: "`FLORIN_PRIVATE_WEBHOOKS` allows private networks, and other machines reach the server",
        means:
          "Every merchant can make the server send requests to these networks, where other services may trust it.",
        fix: "Set `FLORIN_PRIVATE_WEBHOOKS=off`, or name only networks that merchants may reach.",
      },
    },
    find: ({ config }) =>
      config.privateWebhooks.length > 0 && isPublic(config) ? { outcome: "on" } : null,
  }),
  check({
    name: "mail",
    about: "Mail is sent, or shown by the demo.",
    outcomes: {
      none: {
        severity: "warning",
        when: "`FLORIN_SMTP_URL` is not set, and the demo is off",
        means:
          "Signing up, joining a team and resetting a password are not possible, because they need mail.",
        fix: "Set `FLORIN_SMTP_URL` and `FLORIN_MAIL_FROM`.",
      },
    },
    find: ({ config }) => (config.smtpUrl === null && !config.demo ? { outcome: "none" } : null),
  }),
  check({
    name: "mail-tls",
    about: "Mail leaves the machine over verified TLS only.",
    outcomes: {
      off: {
        severity: "warning",
        when: "`FLORIN_SMTP_TLS=off` and the mail server is on another machine",
        means:
          "An attacker on the network path can read and change mail, and use the sign-in links in it.",
        fix: "Leave `FLORIN_SMTP_TLS` out. For a private certificate authority, set `NODE_EXTRA_CA_CERTS`.",
      },
    },
    find: ({ config: { smtpUrl, smtpTls } }) =>
      smtpUrl !== null && !smtpTls && !isLoopback(new URL(smtpUrl).hostname)
        ? { outcome: "off" }
        : null,
  }),
  check({
    name: "database-tls",
    about: "The database is on this machine, or reached over verified TLS only.",
    outcomes: {
      off: {
        severity: "warning",
        when: "`FLORIN_DATABASE_TLS=off` and Postgres is on another machine",
        means:
          "An attacker on the network path can read and change payments, unless `sslmode` in `DATABASE_URL` is `verify-full`.",
        fix: "Leave `FLORIN_DATABASE_TLS` out. For a private certificate authority, set `sslrootcert` in `DATABASE_URL`.",
      },
    },
    find: ({ config: { databaseUrl, databaseTls } }) =>
      databaseUrl !== null && !databaseTls && isRemote(databaseUrl) ? { outcome: "off" } : null,
  }),
  check({
    name: "metrics",
    about: "Metrics are off, or can be read only from this machine.",
    outcomes: {
      network: {
        severity: "warning",
        when: "`METRICS_HOST` is not loopback",
        means: "Metrics need no key. Anyone who reaches the port can read them.",
        fix: "Leave `METRICS_HOST` out, or open the port to your Prometheus only.",
      },
    },
    find: ({ config: { metricsPort, metricsHost } }) =>
      metricsPort !== null && !isLoopback(metricsHost) ? { outcome: "network" } : null,
  }),
  check({
    name: "log",
    about: "Warnings and errors are logged.",
    outcomes: {
      silent: {
        severity: "warning",
        when: "`FLORIN_LOG=silent`, and other machines reach the server",
        means: "Errors and audit entries are not logged, so monitoring cannot see them.",
        fix: "Leave `FLORIN_LOG` out.",
      },
    },
    find: ({ config }) =>
      config.logLevel === "silent" && isPublic(config) ? { outcome: "silent" } : null,
  }),
  check({
    name: "certificates",
    about: "Node verifies certificates.",
    outcomes: {
      unverified: {
        severity: "failed",
        when: "`NODE_TLS_REJECT_UNAUTHORIZED=0`",
        means: "Connections to webhook endpoints and acquirers would accept any certificate.",
        fix: "Remove the setting. For a private certificate authority, set `NODE_EXTRA_CA_CERTS`.",
      },
    },
    find: ({ environment }) =>
      environment.NODE_TLS_REJECT_UNAUTHORIZED === "0" ? { outcome: "unverified" } : null,
  }),
  check({
    name: "debugger",
    about: "No debugger is open.",
    outcomes: {
      open: {
        severity: "failed",
        when: "`NODE_OPTIONS` contains `--inspect`, and other machines reach the server",
        means:
          "Anyone who reaches the debugger's port can run code in the process that has keys and cards in memory.",
        fix: "Remove `--inspect` from `NODE_OPTIONS`.",
      },
    },
    find: ({ config, environment }) =>
      /--inspect/.test(environment.NODE_OPTIONS ?? "") && isPublic(config)
        ? { outcome: "open" }
        : null,
  }),
];

function isLocal(origin: string): boolean {
  return isLoopback(new URL(origin).hostname);
}
