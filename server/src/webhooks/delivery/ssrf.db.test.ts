import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startNameServer } from "../../../test/dns-server.ts";
import { uuidOf } from "../../core/ids.ts";
import { createDeliveryFixture, database, fine, receiver } from "./delivery.fixture.ts";
import { createResolver } from "./dns-resolver.ts";
import { post } from "./http-post.ts";
import { addressRules, publicOnly } from "./ip-address-rules.ts";
import { createOriginPools } from "./origin-pools.ts";

/** Every address that this process tries to connect to at these ports. undici connects through `net.connect`. */
const attempted: string[] = [];
const watchedPorts = new Set<number>();
const watch = (message: unknown): void => {
  const { socket } = message as { socket: Socket };
  socket.on("connectionAttempt", (address: string, at: number) => {
    if (watchedPorts.has(at)) attempted.push(address);
  });
};
subscribe("net.client.socket", watch);

/** Listens on every address of this machine, so that a forbidden connection would succeed. */
const trap = createServer((socket) => {
  attempted.push(`reached from ${socket.remoteAddress}`);
  socket.destroy();
});
trap.listen(0, "::");
await once(trap, "listening");
const { port } = trap.address() as { port: number };
watchedPorts.add(port);

/**
 * Address blocks that the IANA special-purpose registries do not list as global, each with its first, its last and a
 * middle address.
 */
const blocks = {
  "0.0.0.0/8": ["0.0.0.0", "0.0.0.1", "0.255.255.255", "0.1.2.3"],
  "10.0.0.0/8": ["10.0.0.0", "10.0.0.1", "10.255.255.255", "10.20.30.40"],
  "100.64.0.0/10": ["100.64.0.0", "100.64.0.1", "100.127.255.255", "100.100.100.200"],
  "127.0.0.0/8": ["127.0.0.0", "127.0.0.1", "127.255.255.255", "127.0.53.53", "127.1.1.1"],
  "169.254.0.0/16": ["169.254.0.0", "169.254.169.254", "169.254.255.255", "169.254.170.2"],
  "172.16.0.0/12": ["172.16.0.0", "172.16.0.1", "172.31.255.255", "172.17.0.1"],
  "192.0.0.0/24": ["192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.192", "192.0.0.255"],
  "192.0.2.0/24": ["192.0.2.0", "192.0.2.1", "192.0.2.255"],
  "192.31.196.0/24": ["192.31.196.0", "192.31.196.255"],
  "192.52.193.0/24": ["192.52.193.0", "192.52.193.255"],
  "192.88.99.0/24": ["192.88.99.0", "192.88.99.1", "192.88.99.255"],
  "192.168.0.0/16": ["192.168.0.0", "192.168.0.1", "192.168.255.255", "192.168.1.1"],
  "192.175.48.0/24": ["192.175.48.0", "192.175.48.255"],
  "198.18.0.0/15": ["198.18.0.0", "198.18.0.1", "198.19.255.255"],
  "198.51.100.0/24": ["198.51.100.0", "198.51.100.1", "198.51.100.255"],
  "203.0.113.0/24": ["203.0.113.0", "203.0.113.1", "203.0.113.255"],
  "224.0.0.0/4": ["224.0.0.0", "224.0.0.1", "239.255.255.255", "233.252.0.1"],
  "240.0.0.0/4": ["240.0.0.0", "240.0.0.1", "255.255.255.254", "255.255.255.255"],
};
const ipv4 = Object.values(blocks).flat();

const hex = (address: string) =>
  address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));

/** Returns the forms of an IPv4 address inside IPv6: mapped, compatible, NAT64, 6to4, Teredo, ISATAP. */
function inIPv6(address: string): string[] {
  const [a, b, c, d] = hex(address);
  return [
    `::ffff:${address}`,
    `::${a}${b}:${c}${d}`,
    `64:ff9b::${a}${b}:${c}${d}`,
    `64:ff9b:1::${a}${b}:${c}${d}`,
    `2002:${a}${b}:${c}${d}::1`,
    `2001:0:${a}${b}:${c}${d}::1`,
    `fe80::5efe:${a}${b}:${c}${d}`,
  ];
}
const ipv6 = [
  ...["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1", "172.16.0.1"].flatMap(inIPv6),
  ...["::", "::1", "::2", "100::", "100::1", "fc00::", "fc00::1", "fd00::1", "fdff:ffff::1"],
  ...["fe80::", "fe80::1", "febf::1", "fec0::1", "ff00::", "ff02::1", "ff05::1", "ffff::1"],
  ...["2001::", "2001:1::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::", "2001:db8::1"],
  ...[
    "2002::",
    "2002:ffff::1",
    "3fff::",
    "3fff:fff::1",
    "4000::1",
    "5f00::1",
    "6000::1",
    "8000::1",
  ],
  ...["1::1", "1fff::1", "a000::1", "c000::1", "e000::1", "f000::1", "0:0:0:0:0:ffff:7f00:1"],
];

/** Other spellings of IPv4 addresses that a URL parser accepts, and names of internal hosts. */
const spellings = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1"].flatMap((address) => {
  const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number];
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  return [
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    `${a}.${(b << 16) | (c << 8) | d}`,
    `${a}.${b}.${(c << 8) | d}`,
    `0x${a.toString(16)}.${b}.${c}.${d}`,
    `0${a.toString(8)}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    `${a}。${b}。${c}。${d}`,
    `%${a.toString().charCodeAt(0).toString(16)}${a.toString().slice(1)}.${b}.${c}.${d}`,
  ];
});
const localNames = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "intranet",
  "printer.local",
];
const hosts = [
  ...ipv4,
  ...ipv6.map((address) => `[${address}]`),
  ...spellings,
  ...[
    ...localNames,
    "metadata.google.internal",
    "router.home.arpa",
    "kubernetes.default.svc.internal",
  ],
];

const clock = { now: () => new Date() };
const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
const secret = [...ipv4, ...ipv6, ...own.map(({ address }) => address.replace(/%.*/, ""))];

/**
 * `<n>.evil.example` resolves to the n-th address. `mixed-<n>` also resolves to a public one. `rebind-<n>` resolves to
 * the n-th address only the second time.
 */
const nameServer = await startNameServer((name, question) => {
  const [, kind, number] = /^(?:(mixed|rebind)-)?(\d+)\.evil\.example$/.exec(name) ?? [];
  const address = secret[Number(number)];
  if (name === "good.example") return ["93.184.215.14"];
  if (address === undefined) return [];
  if (kind === "mixed") return ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", address];
  if (kind === "rebind") {
    return question === 1 ? ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"] : [address];
  }
  return [address];
});
const resolveName = createResolver([nameServer.address]);
const pools = createOriginPools(resolveName);
after(async () => {
  unsubscribe("net.client.socket", watch);
  trap.close();
  nameServer.close();
});

/** Makes one attempt in the same way as first deliveries, retries, pings and resends. */
async function attempt(host: string, deadlineMs = 5_000): Promise<string> {
  const url = URL.parse(`http://${host}:${port}/`);
  if (!url) return "no url";
  const outcome = await post(pools.poolFor(url, publicOnly), {
    url,
    headers: {},
    body: Buffer.from("{}"),
    deadlineMs,
    clock,
  });
  return outcome.kind === "failed" ? outcome.failure.code : String(outcome.status);
}

test(`${hosts.length} literals and local names that are not global are rejected without a connection`, async () => {
  for (const host of hosts) {
    const result = await attempt(host);
    assert.ok(["address_not_allowed", "no url"].includes(result), `${host}: ${result}`);
  }
  assert.deepEqual(attempted, []);
});

test(`${secret.length * 2} names that resolve to forbidden addresses, alone or with public ones, are rejected`, async () => {
  for (const [index, address] of secret.entries()) {
    for (const name of [`${index}.evil.example`, `mixed-${index}.evil.example`]) {
      assert.equal(await attempt(name), "address_not_allowed", `${name} → ${address}`);
    }
  }
  assert.deepEqual(attempted, []);
  assert.ok(nameServer.asked() >= secret.length * 2);
});

test("a name that resolves differently the second time is connected only at the address that was checked", async () => {
  for (let index = 0; index < secret.length; index += 4) {
    await attempt(`rebind-${index}.evil.example`, 30);
    assert.equal(await attempt(`rebind-${index}.evil.example`), "address_not_allowed");
  }
  const others = attempted.filter(
    (address) => address !== "93.184.215.14" && !address.startsWith("2606:2800:21f:"),
  );
  assert.deepEqual(others, []);
  assert.ok(attempted.length > 0, "no connection attempt was observed");
  attempted.length = 0;
});

test("with an allowlist a name may resolve only to the listed networks", async () => {
  const allowed = addressRules(["127.0.0.0/8"])({ livemode: false });
  const outcomeOf = async (host: string) => {
    const url = new URL(`http://${host}:${port}/`);
    const request = { url, headers: {}, body: Buffer.from("{}"), deadlineMs: 2_000, clock };
    const outcome = await post(pools.poolFor(url, allowed), request);
    return outcome.kind === "failed" ? outcome.failure.code : "responded";
  };
  const at = (address: string) => `${secret.indexOf(address)}.evil.example`;
  assert.equal(await outcomeOf(at("127.0.0.1")), "connection_lost");
  assert.equal(await outcomeOf(at("10.0.0.1")), "address_not_allowed");
  assert.equal(await outcomeOf("10.0.0.1"), "address_not_allowed");
  attempted.length = 0;
});

for (const livemode of [false, true]) {
  test(`a first delivery, retry, ping and resend to a private address are rejected in ${livemode ? "live" : "test"} mode`, async () => {
    const shop = await receiver(fine);
    // A request that was canceled in an earlier test may still connect to the other public address of its host, at the
    // port of the trap.
    watchedPorts.clear();
    watchedPorts.add(Number(new URL(shop.url).port));
    attempted.length = 0;
    const name = `${secret.indexOf("127.0.0.1")}.evil.example`;
    const scheme = livemode ? "https" : "http";
    const fixture = await createDeliveryFixture({ livemode });
    // In live mode the setting for private networks changes nothing.
    const privateNetworks = livemode ? ["0.0.0.0/0", "::/0"] : [];
    const worker = fixture.start({}, { privateNetworks, resolveName });
    await fixture.endpoint(`${scheme}://${name}:${new URL(shop.url).port}/`);
    await fixture.happen();
    const first = await fixture.delivery(1);
    fixture.clock.time = first.next_attempt_at as Date;
    await fixture.delivery(2);
    // A ping is an event like any other, and a resend makes a delivery due again.
    await database.transaction(
      (tx) => tx`
        update webhook_deliveries set next_attempt_at = ${fixture.clock.time}, attempts = 0
         where account_id = ${uuidOf(fixture.scope.account)}`,
    );
    const again = await fixture.delivery(3);
    assert.deepEqual(
      again.log.map(({ failure }) => failure?.code),
      ["address_not_allowed", "address_not_allowed", "address_not_allowed"],
    );
    await sleep(20);
    assert.deepEqual([attempted, shop.received], [[], []]);
    await worker.stop();
  });
}
