import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { readConfig, WrongSetting } from "./config.ts";
import { privateNetworks } from "./webhooks/delivery/ip-address-rules.ts";

test("without settings the service listens on loopback with the built-in database and the demo", () => {
  const config = readConfig({});
  assert.deepEqual(
    [config.host, config.port, config.publicUrl, config.databaseUrl, config.demo, config.rateLimit],
    ["127.0.0.1", null, null, null, true, 100],
  );
  assert.equal(config.dataDirectory, resolve(".florin"));
  assert.equal(config.keysDirectory, resolve(".florin/keys"));
});

test("every setting is read, and a blank value counts as not set", () => {
  const config = readConfig({
    HOST: "0.0.0.0",
    PORT: "0",
    INTERNAL_PORT: "4250",
    FLORIN_PROCESSES: "4",
    FLORIN_PUBLIC_URL: "https://pay.example.com/",
    FLORIN_WALLETS_URL: "https://wallets.example.com",
    FLORIN_TRUSTED_PROXIES: "10.0.0.0/8",
    FLORIN_DATA: "/tmp/florin",
    DATABASE_URL: "postgres://florin:secret@db:5432/florin",
    FLORIN_REPLICA_URL: "postgres://florin:secret@db2:5432/florin",
    FLORIN_DATABASE_TLS: "on",
    FLORIN_DATABASE_POOL: "4",
    FLORIN_RATE_LIMIT: "off",
    FLORIN_SIGN_IN_LOCKOUT_MINUTES: "45",
    FLORIN_FOUR_EYES: "on",
    FLORIN_DEMO: "off",
    SHOP_HOST: "::1",
    SHOP_PORT: " ",
    FLORIN_PRIVATE_WEBHOOKS: "off",
    FLORIN_SMTP_URL: "smtps://florin:secret@mail.example.com",
    FLORIN_SMTP_TLS: "off",
    FLORIN_MAIL_FROM: "Florin <no-reply@example.com>",
    FLORIN_ACQUIRERS: "sandbox",
    FLORIN_ACQUIRER_URLS: "adyen=http://127.0.0.1:4010",
    FLORIN_ACQUIRER_TIMEOUT_MS: "500",
    FLORIN_CLOSED_ACCOUNT_CARD_DAYS: "30",
    FLORIN_ARCHIVE_AFTER_DAYS: "730",
    FLORIN_ARCHIVE: "/archive",
    FLORIN_WAL_ARCHIVE_DAYS: "30",
    FLORIN_CARD_SEARCH_HOUR: "off",
    FLORIN_WORKERS: "off",
    METRICS_HOST: "10.0.0.1",
    METRICS_PORT: "9464",
    FLORIN_OTLP_URL: "https://florin:secret@collector.example.com/otlp",
    FLORIN_TRACE_RATIO: "0.25",
    FLORIN_LOG: "silent",
    NODE_ENV: "production",
  });
  assert.deepEqual(config, {
    host: "0.0.0.0",
    port: 0,
    internalPort: 4250,
    processes: 4,
    publicUrl: "https://pay.example.com",
    walletsUrl: "https://wallets.example.com",
    trustedProxies: ["10.0.0.0/8"],
    dataDirectory: "/tmp/florin",
    keysDirectory: "/tmp/florin/keys",
    databaseUrl: "postgres://florin:secret@db:5432/florin",
    databaseTls: true,
    databasePool: 4,
    rateLimit: null,
    replicaUrl: "postgres://florin:secret@db2:5432/florin",
    lockOutMinutes: 45,
    fourEyes: true,
    demo: false,
    shopHost: "::1",
    shopPort: null,
    privateWebhooks: [],
    smtpUrl: "smtps://florin:secret@mail.example.com",
    smtpTls: false,
    mailFrom: "Florin <no-reply@example.com>",
    acquirers: "sandbox",
    acquirerOrigins: { adyen: "http://127.0.0.1:4010" },
    acquirerTimeoutMs: 500,
    closedAccountCardDays: 30,
    archiveAfterDays: 730,
    archiveDirectory: "/archive",
    walArchive: null,
    walArchiveDays: 30,
    unknownVariables: [],
    cardSearchHour: null,
    workers: false,
    metricsHost: "10.0.0.1",
    metricsPort: 9464,
    otlpUrl: "https://florin:secret@collector.example.com/otlp",
    traceRatio: 0.25,
    logLevel: "silent",
    environment: "production",
  });
});

for (const [name, values] of Object.entries({
  PORT: ["http", "-1", "65536", "80.5"],
  SHOP_PORT: ["x"],
  FLORIN_PUBLIC_URL: ["pay.example.com", "ftp://a", "https://a/b", "https://u:p@a", "https://a?b"],
  FLORIN_WALLETS_URL: ["wallets.example.com", "https://a/b", "http://a", "http://127.0.0.1:4243"],
  DATABASE_URL: ["localhost", "mysql://a/b", "postgres://db/florin?sslmode=disable"],
  FLORIN_DATABASE_TLS: ["verify-full"],
  FLORIN_DATABASE_POOL: ["0", "501", "many"],
  FLORIN_RATE_LIMIT: ["0", "none", "1.5", "-5"],
  FLORIN_DEMO: ["yes", "1", "ON"],
  FLORIN_FOUR_EYES: ["2"],
  FLORIN_OTLP_URL: [
    "127.0.0.1:4318",
    "grpc://127.0.0.1:4317",
    "http://a/?x=1",
    "http://a/v1/traces",
    "http://a/otlp/v1/traces/",
  ],
  FLORIN_TRACE_RATIO: ["1%", "1.5", "-1", "1e-2", "10"],
  FLORIN_PRIVATE_WEBHOOKS: ["true", "10.0.0.1", "10.0.0.0/33", "::/129", "lan/8", "10.0.0.0/8,,"],
  FLORIN_SMTP_URL: [
    "mail.example.com",
    "https://mail.example.com",
    "smtp://",
    "smtp://a?ignoreTLS=true",
  ],
  FLORIN_SMTP_TLS: ["starttls"],
  FLORIN_MAIL_FROM: ["Florin", "no-reply@example.com>", "a b@example.com"],
  FLORIN_ACQUIRER_TIMEOUT_MS: ["99", "20001"],
  FLORIN_WAL_ARCHIVE_DAYS: ["0", "3651", "off"],
  FLORIN_CARD_SEARCH_HOUR: ["24", "-1", "3.5", "night"],
  FLORIN_WORKERS: ["no"],
  FLORIN_LOG: ["verbose"],
})) {
  test(`an invalid ${name} is rejected with a message that names it and the expected value`, () => {
    for (const value of values) {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) =>
          error instanceof WrongSetting &&
          error.message.startsWith(name) &&
          /must (be|have) .+\.$/.test(error.message),
        value,
      );
    }
  });
}

test("a server that replaces an acquirer must be on this machine, and requires FLORIN_ACQUIRERS=sandbox", () => {
  const origins = (url: string, acquirers = "sandbox") =>
    readConfig({ FLORIN_ACQUIRERS: acquirers, FLORIN_ACQUIRER_URLS: url }).acquirerOrigins;
  assert.deepEqual(origins("adyen=http://localhost:4010/"), { adyen: "http://localhost:4010" });
  const local = "adyen=http://127.0.0.1:4010";
  assert.throws(() => origins(local, "live"), /requires FLORIN_ACQUIRERS=sandbox/);
  for (const url of [
    "http://127.0.0.1:4010",
    "stripes=http://127.0.0.1:4010",
    "adyen=http://127.0.0.1:4010,adyen=http://127.0.0.1:4011",
    "adyen=https://checkout-test.adyen.com",
    "adyen=http://10.0.0.1:4010",
    "adyen=http://127.0.0.1:4010/v72",
    "adyen=",
  ]) {
    assert.throws(() => origins(url), /FLORIN_ACQUIRER_URLS must be names of acquirers/, url);
  }
});

test("FLORIN_WAL_ARCHIVE is rejected together with DATABASE_URL", () => {
  const archive = (DATABASE_URL?: string) =>
    readConfig({ FLORIN_WAL_ARCHIVE: "/wal", DATABASE_URL }).walArchive;
  assert.equal(archive(), "/wal");
  assert.throws(() => archive("postgres://db/florin"), /^WrongSetting: FLORIN_WAL_ARCHIVE is for/);
});

test("webhooks may go to the listed private networks, by default to all with the demo and to none without it", () => {
  const networks = (environment: Record<string, string>) => readConfig(environment).privateWebhooks;
  assert.deepEqual(networks({ FLORIN_PRIVATE_WEBHOOKS: "10.1.0.0/16, fd00::/8" }), [
    "10.1.0.0/16",
    "fd00::/8",
  ]);
  assert.deepEqual(networks({}), privateNetworks);
  assert.deepEqual(networks({ FLORIN_DEMO: "off" }), []);
});

test("the demo is on by default only if just this machine can reach the server", () => {
  const demo = (environment: Record<string, string>) => readConfig(environment).demo;
  for (const local of [
    {},
    { HOST: "::1" },
    { HOST: "localhost", FLORIN_PUBLIC_URL: "http://localhost:4242" },
    { FLORIN_PUBLIC_URL: "https://florin.localhost" },
  ]) {
    assert.equal(demo(local), true, JSON.stringify(local));
    assert.equal(demo({ ...local, FLORIN_DEMO: "off" }), false);
  }
  for (const reachable of [
    { HOST: "0.0.0.0" },
    { HOST: "::" },
    { HOST: "192.168.1.10" },
    { FLORIN_PUBLIC_URL: "https://pay.example.com" },
    { FLORIN_PUBLIC_URL: "http://192.168.1.10:4242" },
    { FLORIN_PUBLIC_URL: "https://localhost.example.com" },
    { NODE_ENV: "production" },
  ]) {
    assert.equal(demo(reachable), false, JSON.stringify(reachable));
    assert.equal(readConfig(reachable).privateWebhooks.length, 0);
    assert.equal(demo({ ...reachable, FLORIN_DEMO: "on" }), true, "a check rejects it, not this");
  }
});

test("a connection to a database on another host is encrypted and verified unless FLORIN_DATABASE_TLS is off", () => {
  const url = "postgres://florin:secret@db.internal/florin";
  const read = (DATABASE_URL: string, tls: string) =>
    readConfig({ DATABASE_URL, FLORIN_DATABASE_TLS: tls }).databaseUrl;
  assert.equal(read(`${url}?sslmode=require`, "on"), `${url}?sslmode=verify-full`);
  assert.throws(
    () => read(`${url}?sslmode=disable`, "on"),
    /must have sslmode=verify-full.+TLS=off\.$/,
  );
  assert.equal(read(`${url}?sslmode=require`, "off"), `${url}?sslmode=require`);
  assert.equal(read(url, "off"), `${url}?sslmode=disable`);
});

test("target_session_attrs must name a primary in DATABASE_URL, and a standby in FLORIN_REPLICA_URL", () => {
  const url = "postgres://localhost/florin?target_session_attrs=";
  const accepted = (setting: "DATABASE_URL" | "FLORIN_REPLICA_URL") =>
    ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"].filter((target) => {
      try {
        readConfig({ [setting]: `${url}${target}` });
        return true;
      } catch {
        return false;
      }
    });
  assert.deepEqual(accepted("DATABASE_URL"), ["read-write", "primary"]);
  assert.deepEqual(accepted("FLORIN_REPLICA_URL"), [
    "any",
    "read-only",
    "standby",
    "prefer-standby",
  ]);
  assert.throws(() => readConfig({ FLORIN_REPLICA_URL: `${url}read-write` }), {
    message:
      "target_session_attrs in FLORIN_REPLICA_URL must be one of standby, prefer-standby, read-only, any. Got 'read-write'. Remove it, or correct it.",
  });
});

test("an invalid database URL is not repeated in the error, because it may contain a password", () => {
  assert.throws(
    () => readConfig({ DATABASE_URL: "mysql://florin:hunter2@db/florin" }),
    (error) => error instanceof WrongSetting && !error.message.includes("hunter2"),
  );
});

test("a misspelled setting is rejected, and an unknown one is listed", () => {
  for (const [name, meant] of [
    ["FLORIN_RATELIMIT", "FLORIN_RATE_LIMIT"],
    ["FLORIN_DEM0", "FLORIN_DEMO"],
    ["FLORIN_PUBLIC_URI", "FLORIN_PUBLIC_URL"],
    ["FLORIN_SMPT_URL", "FLORIN_SMTP_URL"],
    ["FLORIN_TRUSTED_PROXY", "FLORIN_TRUSTED_PROXIES"],
    // The names of these settings have no prefix.
    ["FLORIN_DATABASE_URL", "DATABASE_URL"],
    ["FLORIN_METRICS_PORT", "METRICS_PORT"],
    ["FLORIN_HOST", "HOST"],
    ["FLORIN_PORT", "PORT"],
    ["FLORIN_NODE_ENV", "NODE_ENV"],
  ] as const) {
    assert.throws(() => readConfig({ [name]: "off" }), {
      name: "WrongSetting",
      message: `The setting ${name} does not exist. Did you mean ${meant}?`,
    });
  }
  const unknown = { FLORIN_SMTP_HOST: "mail", FLORIN_LOG_LEVEL: "debug", OTHER_LOG_LEVEL: "debug" };
  assert.deepEqual(readConfig(unknown), {
    ...readConfig({}),
    unknownVariables: ["FLORIN_LOG_LEVEL", "FLORIN_SMTP_HOST"],
  });
});

test("variables that share the prefix with settings, but belong to other programs, are ignored", () => {
  const service = {
    FLORIN_SERVICE_HOST: "10.0.0.1",
    FLORIN_SERVICE_PORT: "4242",
    FLORIN_SERVICE_PORT_HTTP: "4242",
    FLORIN_PORT: "tcp://10.0.0.1:4242",
    FLORIN_PORT_4242_TCP: "tcp://10.0.0.1:4242",
    FLORIN_PORT_4242_TCP_PROTO: "tcp",
    FLORIN_PORT_4242_TCP_PORT: "4242",
    FLORIN_PORT_4242_TCP_ADDR: "10.0.0.1",
    FLORIN_METRICS_PORT: "udp://10.0.0.1:4242",
    FLORIN_DEMO_SERVICE_HOST: "10.0.0.2",
  };
  const ofMerchant = {
    FLORIN_URL: "http://localhost:4242",
    FLORIN_SECRET_KEY: "sk_test_x",
    FLORIN_WEBHOOK_SECRET: "whsec_x",
  };
  const ofTests = {
    FLORIN_TEST_POSTGRES: "postgres://localhost",
    FLORIN_CHROMIUM: "/usr/bin/c",
    FLORIN_SCREENSHOTS: "screenshots",
    FLORIN_MUTANT: "mutant",
  };
  assert.deepEqual(readConfig({ ...service, ...ofMerchant, ...ofTests }), readConfig({}));
});

test("the wallets' host name differs from the service's, and uses TLS outside of this machine", () => {
  const publicUrl = "https://pay.example.com";
  const walletsUrlIn = (environment: Record<string, string>) => readConfig(environment).walletsUrl;
  for (const [walletsUrl, further] of [
    ["https://wallets.example.com", { FLORIN_PUBLIC_URL: publicUrl, NODE_ENV: "production" }],
    ["http://localhost:4242", {}],
    ["http://wallets.localhost:4242", { FLORIN_PUBLIC_URL: "http://127.0.0.1:4242" }],
  ] as const) {
    assert.equal(walletsUrlIn({ FLORIN_WALLETS_URL: walletsUrl, ...further }), walletsUrl);
  }
  for (const [walletsUrl, further, reason] of [
    [publicUrl, { FLORIN_PUBLIC_URL: publicUrl }, /different host name/],
    ["https://pay.example.com:8443", { FLORIN_PUBLIC_URL: publicUrl }, /different host name/],
    ["https://PAY.example.com.", { FLORIN_PUBLIC_URL: publicUrl }, /different host name/],
    ["http://wallets.example.com", { FLORIN_PUBLIC_URL: publicUrl }, /TLS/],
    ["http://wallets.localhost", { NODE_ENV: "production" }, /TLS/],
    ["https://wallets.example.com", {}, /requires FLORIN_PUBLIC_URL/],
  ] as const) {
    assert.throws(() => walletsUrlIn({ FLORIN_WALLETS_URL: walletsUrl, ...further }), reason);
  }
});

test("a misspelled production environment is rejected, and the environments of other programs are ignored", () => {
  for (const name of ["prod", "Production", "PRODUCTION", "prodution", "productoin"]) {
    assert.throws(() => readConfig({ NODE_ENV: name }), {
      name: "WrongSetting",
      message: `NODE_ENV must be 'production' for a service that others depend on. Got '${name}'.`,
    });
  }
  for (const name of ["development", "test", "staging", "preview", ""]) {
    assert.equal(readConfig({ NODE_ENV: name }).environment, "development");
  }
  assert.equal(readConfig({ NODE_ENV: "production" }).environment, "production");
});
