import { isLoopback } from "@florin/server/core/loopback.ts";
import { isRemote } from "@florin/server/platform/database/connection-options.ts";
import { type Check, defineCheck, isPublic, type MachineContext } from "./check.ts";

const check = defineCheck<MachineContext>();

/** Checks of the settings, alone and combined. */
export const settingChecks: readonly Check<MachineContext>[] = [
  check({
    name: "unknown-settings",
    about: "Every environment variable whose name begins with `FLORIN_` is known to Florin.",
    outcomes: {
      unknown: {
        severity: "warning",
        when: "the name of an environment variable begins with `FLORIN_`, and is not the name of a setting",
        means: "The variable has no effect. If it was meant to be a setting, the default applies.",
        fix: "Correct the name ([settings](settings.md)), or remove the variable.",
      },
    },
    find({ config: { unknownVariables } }) {
      if (unknownVariables.length === 0) return null;
      return { outcome: "unknown", detail: unknownVariables.join(", ") };
    },
  }),
  check({
    name: "demo",
    about: "The demo is off, or the server can be reached only from this machine.",
    outcomes: {
      public: {
        severity: "failed",
        when: "`FLORIN_DEMO=on`, and either `NODE_ENV=production` or `FLORIN_PUBLIC_URL` is an `https://` address that is not local",
        means:
          "The demo creates sample merchants, a user and API keys. If no mail server is set, the demo shows emails instead of sending them.",
        fix: "Set `FLORIN_DEMO=off`. Merchants can still sign up and try the service in test mode.",
      },
      network: {
        severity: "warning",
        when: "`FLORIN_DEMO=on`, and other machines reach the server",
        means:
          "Anyone who knows a demo key can use the demo merchants. Only browsers on this machine can see the demo's emails, with the link that `florin start` prints.",
        fix: "Set `FLORIN_DEMO=off`. If no other machine needs the server, you can instead set `HOST` to `127.0.0.1` and remove `FLORIN_PUBLIC_URL`.",
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
          "People on other machines can place orders in the demo shop, which creates payments with the demo merchant's key.",
        fix: "Remove `SHOP_HOST`.",
      },
    },
    find: ({ config }) =>
      config.demo && !isLoopback(config.shopHost) ? { outcome: "network" } : null,
  }),
  check({
    name: "public-url",
    about:
      "`FLORIN_PUBLIC_URL` is an `https://` or local address, or the server can be reached only from this machine.",
    outcomes: {
      missing: {
        severity: "warning",
        when: "`FLORIN_PUBLIC_URL` is not set, and other machines reach the server",
        means:
          "Links in emails, the card form's URL and passkeys use the address that the server listens on.",
        fix: "Set `FLORIN_PUBLIC_URL` to the `https://` address of the proxy in front of the server.",
      },
      plain: {
        severity: "warning",
        when: "`FLORIN_PUBLIC_URL` is an `http://` address that is not local",
        means:
          "Card numbers and keys cross the network unencrypted (PCI DSS 4.2.1). People cannot sign in to the dashboard at this address.",
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
    about:
      "`FLORIN_TRUSTED_PROXIES` does not trust all addresses (`/0`), and is set when `FLORIN_PUBLIC_URL` requires a proxy.",
    outcomes: {
      none: {
        severity: "warning",
        when: "`FLORIN_PUBLIC_URL` is an `https://` address that is not local, and no proxy is trusted",
        means:
          "Florin serves plain HTTP behind a TLS proxy, so every request appears to come from the proxy's address. Limits on cards, sign-ins and requests then count all clients together.",
        fix: "Set `FLORIN_TRUSTED_PROXIES` to the proxy's network, such as `127.0.0.0/8`.",
      },
      everyone: {
        severity: "failed",
        when: "`FLORIN_TRUSTED_PROXIES` trusts all addresses (`/0`)",
        means:
          "Every client can forge its address with an `X-Forwarded-For` header. Limits by address are then ineffective, and addresses in the audit log cannot be trusted.",
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
    about: "Requests are limited, or the server can be reached only from this machine.",
    outcomes: {
      off: {
        severity: "warning",
        when: "`FLORIN_RATE_LIMIT=off`, and other machines reach the server",
        means:
          "The number of requests is not limited, so an attacker can test card numbers as fast as the server responds.",
        fix: "Remove `FLORIN_RATE_LIMIT`, or set it to a number.",
      },
      "off-production": {
        severity: "failed",
        when: "`FLORIN_RATE_LIMIT=off` and `NODE_ENV=production`",
        means:
          "The number of requests would not be limited, so an attacker could test card numbers as fast as the server responds.",
        fix: "Remove `FLORIN_RATE_LIMIT`, or set it to a number.",
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
        means: "Live charges are sent to the acquirers' sandboxes, and no money moves.",
        fix: "Remove `FLORIN_ACQUIRERS` on the instance that charges real cards.",
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
          "Any merchant can make the server send requests to these networks, where other services may trust the server.",
        fix: "Set `FLORIN_PRIVATE_WEBHOOKS=off`, or list only networks that merchants may reach.",
      },
    },
    find: ({ config }) =>
      config.privateWebhooks.length > 0 && isPublic(config) ? { outcome: "on" } : null,
  }),
  check({
    name: "mail",
    about: "Florin sends emails, or the demo shows them.",
    outcomes: {
      none: {
        severity: "warning",
        when: "`FLORIN_SMTP_URL` is not set, and the demo is off",
        means:
          "People cannot sign up, join a team or reset a password, because each of these requires an email.",
        fix: "Set `FLORIN_SMTP_URL` and `FLORIN_MAIL_FROM`.",
      },
    },
    find: ({ config }) => (config.smtpUrl === null && !config.demo ? { outcome: "none" } : null),
  }),
  check({
    name: "mail-tls",
    about: "Emails leave the machine over verified TLS only.",
    outcomes: {
      off: {
        severity: "warning",
        when: "`FLORIN_SMTP_TLS=off` and the mail server is on another machine",
        means:
          "An attacker on the network path can read and change emails, and use the sign-in links in them.",
        fix: "Remove `FLORIN_SMTP_TLS`. For a private certificate authority, set `NODE_EXTRA_CA_CERTS`.",
      },
    },
    find: ({ config: { smtpUrl, smtpTls } }) =>
      smtpUrl !== null && !smtpTls && !isLoopback(new URL(smtpUrl).hostname)
        ? { outcome: "off" }
        : null,
  }),
  check({
    name: "database-tls",
    about: "The database is on this machine, or `FLORIN_DATABASE_TLS` requires verified TLS.",
    outcomes: {
      off: {
        severity: "warning",
        when: "`FLORIN_DATABASE_TLS=off` and Postgres is on another machine",
        means:
          "An attacker on the network path can read and change payments, unless `sslmode` in `DATABASE_URL` is `verify-full`.",
        fix: "Remove `FLORIN_DATABASE_TLS`. For a private certificate authority, set `sslrootcert` in `DATABASE_URL`.",
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
        when: "`METRICS_PORT` is set, and `METRICS_HOST` is not loopback",
        means: "Reading the metrics requires no key. Anyone who reaches the port can read them.",
        fix: "Remove `METRICS_HOST`, or allow only your Prometheus to reach the port.",
      },
    },
    find: ({ config: { metricsPort, metricsHost } }) =>
      metricsPort !== null && !isLoopback(metricsHost) ? { outcome: "network" } : null,
  }),
  check({
    name: "log",
    about: "Errors are logged, or the server can be reached only from this machine.",
    outcomes: {
      silent: {
        severity: "warning",
        when: "`FLORIN_LOG=silent`, and other machines reach the server",
        means: "Errors and audit entries are not logged, so monitoring cannot see them.",
        fix: "Remove `FLORIN_LOG`, or set it to another level.",
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
        means:
          "Some connections, such as those to webhook endpoints, would accept any certificate.",
        fix: "Remove the setting. For a private certificate authority, set `NODE_EXTRA_CA_CERTS`.",
      },
    },
    find: ({ environment }) =>
      environment.NODE_TLS_REJECT_UNAUTHORIZED === "0" ? { outcome: "unverified" } : null,
  }),
  check({
    name: "debugger",
    about: "`NODE_OPTIONS` opens no debugger, or the server can be reached only from this machine.",
    outcomes: {
      open: {
        severity: "failed",
        when: "`NODE_OPTIONS` contains `--inspect`, and other machines reach the server",
        means:
          "Anyone who reaches the debugger's port could run code in the process, which has keys and cards in memory.",
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
