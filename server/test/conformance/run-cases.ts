import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type ChargeId, idFromUuid, uuidOf } from "../../src/core/ids.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { typed } from "../checkout.ts";
import { type Client, createClient, type Reply } from "../client.ts";
import type { Shop } from "../shop.ts";
import { slowed } from "../slowness.ts";
import { hour, minute, second } from "../test-clock.ts";
import type {
  AcquirerUnderTest,
  CaseMerchant,
  PaymentAtAcquirer,
  ReceivedRequests,
} from "./acquirer-under-test.ts";
import {
  expectedResults,
  type FaultCase,
  isReversal,
  messages,
  type Result,
  rulesOf,
} from "./faults.ts";
import type { Service } from "./service-process.ts";

export type AcquirerCase = FaultCase & { readonly acquirer: AcquirerUnderTest };

/** A case with its merchant, and its charge once it exists. */
type RunningCase = AcquirerCase & {
  readonly merchant: CaseMerchant;
  readonly currency: string;
  readonly price: number;
  charge: ChargeId | null;
};

/** The result of a case, with a description of every problem. */
export type CaseResult = AcquirerCase & { readonly problems: readonly string[] };

const amountMinor = 1999;
const partMinor = 700;
const currencies = ["usd", "eur", "jpy"] as const;

/** Creates a merchant for each case. The service starts afterwards, so that it reads the merchants' connections. */
export async function createCases(
  acquirers: readonly AcquirerUnderTest[],
  cases: readonly AcquirerCase[],
): Promise<readonly RunningCase[]> {
  const running: RunningCase[] = [];
  for (const acquirer of acquirers) {
    const own = cases.filter((one) => one.acquirer === acquirer);
    const merchants = await acquirer.createMerchants(own.length);
    for (const [index, one] of own.entries()) {
      const currency = currencies[index % currencies.length] as string;
      const merchant = merchants[index] as CaseMerchant;
      running.push({ ...one, merchant, currency, price: amountMinor, charge: null });
    }
  }
  return running;
}

/**
 * Runs all cases without a restart simultaneously, then all cases with one. Waits each time until the service has
 * recovered.
 */
export async function runCases(
  shop: Shop,
  service: Service,
  acquirers: readonly AcquirerUnderTest[],
  running: readonly RunningCase[],
): Promise<{ readonly results: readonly CaseResult[]; readonly violations: readonly string[] }> {
  const run = createRun(shop, service, acquirers, running);
  const client = createClient(service.url);
  try {
    for (const restart of [false, true]) {
      await run.runTogether(
        client,
        running.filter((one) => one.restart === restart),
        restart,
      );
    }
  } finally {
    await client.close();
  }
  const results = await Promise.all(
    running.map(async (one) => ({ ...one, problems: await run.problemsOf(one) })),
  );
  return { results, violations: await run.violations(running) };
}

function createRun(
  shop: Shop,
  service: Service,
  acquirers: readonly AcquirerUnderTest[],
  running: readonly RunningCase[],
) {
  const { read } = shop.app.database;
  const unconfirmed = running
    .filter((one) => expectedResults(one, one.acquirer.capabilities).includes("reversing"))
    .map(({ merchant }) => uuidOf(merchant.account));

  async function advance(milliseconds: number): Promise<void> {
    for (const acquirer of acquirers) await acquirer.advanceClock(milliseconds);
    await service.advanceClock(milliseconds);
  }

  async function runTogether(client: Client, cases: readonly RunningCase[], restart: boolean) {
    if (cases.length === 0) return;
    await Promise.all(cases.map((one) => prepare(client, one)));
    // Advances the clock in two steps, so that all reversals become due while the other requests are in progress.
    const reversals = cases.filter(({ verb }) => isReversal(messages[verb]));
    if (reversals.length > 0) await advance(14 * minute);
    await Promise.all(
      cases.map((one) => one.acquirer.inject(one.merchant, messages[one.verb], one.fault)),
    );
    const sent = Promise.all(cases.map((one) => sendRequest(client, one)));
    if (reversals.length > 0) await advance(2 * minute);
    await waitUntilReceived(cases);
    if (restart) {
      await service.kill();
      await service.start();
    }
    await recover(cases);
    await sent;
    await recover(cases);
  }

  /** Waits until each request has reached the acquirer. Does not wait if the acquirer does not record requests. */
  async function waitUntilReceived(cases: readonly RunningCase[]): Promise<void> {
    const deadline = performance.now() + slowed(20_000);
    for (let waiting = cases; ; await sleep(50)) {
      const received = new Map<AcquirerUnderTest, ReceivedRequests>();
      for (const acquirer of acquirers) received.set(acquirer, await acquirer.readRequests());
      waiting = waiting.filter(
        ({ acquirer, merchant, verb }) =>
          received.get(acquirer)?.(merchant, messages[verb]) === false,
      );
      if (waiting.length === 0) return;
      const missing = waiting
        .map(({ acquirer, verb, fault }) => `${acquirer.name}, ${verb}, ${fault}`)
        .join("; ");
      assert.ok(performance.now() < deadline, `never sent: ${missing}`);
    }
  }

  /**
   * Advances the clock until every charge and operation has an outcome. Repeats lost notifications when no work is
   * open, or after half of the steps, so that the service must first recover without them.
   */
  async function recover(cases: readonly RunningCase[]): Promise<void> {
    const deadline = performance.now() + slowed(30_000);
    for (let index = 0; index < recoverySteps.length || performance.now() < deadline; index++) {
      await deliverNotifications();
      await sleep(settleMs);
      const open = await openWork();
      const repeats = open === 0 || index >= recoverySteps.length / 2;
      const repeated =
        repeats && cases.some(losesNotification) ? await repeatNotifications("lost") : 0;
      if (open > 0) await advance(recoverySteps[index] ?? 10 * minute);
      else if (repeated === 0) return;
    }
  }

  async function repeatNotifications(which: "pending" | "lost"): Promise<number> {
    const counts = await Promise.all(acquirers.map((one) => one.repeatNotifications(which)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Waits until the service has received every notification and claimed it once. Otherwise, it could cancel a payment
   * whose outcome it is about to receive, because the clock advances faster than a busy machine delivers.
   */
  async function deliverNotifications(): Promise<void> {
    const deadline = performance.now() + slowed(10_000);
    while (performance.now() < deadline) {
      const repeated = await repeatNotifications("pending");
      const [row] = await read<{ unclaimed: number }>`
        select count(*)::int as unclaimed from acquirer_notifications where due_at = received_at`;
      if (repeated === 0 && row?.unclaimed === 0) return;
      await sleep(50);
    }
  }

  async function openWork(): Promise<number> {
    const [row] = await read<{ open: number }>`
      select ((select count(*) from charges
                where status in ('processing', 'requires_action')
                  and not (reversal_pending and account_id = any(${unconfirmed}::uuid[])))
            + (select count(*) from operations where status = 'processing')
            + (select count(*) from card_verifications where due_at is not null)
            + (select count(*) from acquirer_notifications where state = 'pending'))::int as open`;
    return row?.open ?? 0;
  }

  /** Returns what is wrong with the case after its recovery. */
  async function problemsOf(one: RunningCase): Promise<readonly string[]> {
    const { acquirer, merchant } = one;
    const charges = await readCharges(merchant);
    const payments = await acquirer.paymentsOf(merchant);
    const reviews = await readReviews(merchant);
    const problems: string[] = [];
    const expectsCharge = messages[one.verb] !== "verify";
    if (charges.length > (expectsCharge ? 1 : 0)) problems.push(`${charges.length} charges`);
    for (const charge of charges) {
      if (charge.status === "processing" && !charge.reversing) {
        problems.push(`the charge has no outcome (${charge.pendingReason})`);
      }
      if (charge.open > 0) problems.push("an operation has no outcome");
    }
    const different = charges.flatMap((charge) => differenceOf(charge, payments) ?? []);
    for (const { charge } of payments) {
      if (!charges.some(({ id }) => id === charge)) different.push(`${charge} has no charge`);
    }
    if (reviews.length === 0) problems.push(...different);
    const unreviewed = () =>
      expectsCharge ? resultOf(one, charges) : verificationResult(merchant, problems);
    const result: Result = reviews.length > 0 ? "in review" : await unreviewed();
    const expected = expectedResults(one, acquirer.capabilities);
    if (!expected.includes(result)) {
      problems.push(`the result is '${result}', not '${expected.join("' or '")}'. ${reviews}`);
    }
    return problems;
  }

  async function readCharges({ account }: CaseMerchant) {
    const rows = await read<ChargeRow>`
      select c.id, c.status, c.pending_reason, c.reversal_pending, c.amount, c.amount_captured, c.amount_refunded,
             count(o.id) filter (where o.status = 'processing')::int as open,
             coalesce(bool_or(o.kind = 'refund' and o.status = 'succeeded'), false) as refunded,
             c.failure_entry_id is not null as capture_failed
        from charges c
        left join operations o on o.account_id = c.account_id and o.livemode = c.livemode and o.charge_id = c.id
       where c.account_id = ${uuidOf(account)}
       group by c.account_id, c.livemode, c.id`;
    return rows.map((row) => ({
      id: idFromUuid("ch", row.id),
      status: row.status,
      pendingReason: row.pending_reason,
      reversing: row.reversal_pending,
      open: row.open,
      refunded: row.refunded,
      captureFailed: row.capture_failed,
      heldMinor: row.status === "authorized" ? row.amount : 0,
      capturedMinor: row.amount_captured,
      refundedMinor: row.amount_refunded,
    }));
  }

  /**
   * Returns `done` if the merchant's session is complete. Adds a problem unless a complete session has saved one card,
   * and an open session none.
   */
  async function verificationResult(
    { account }: CaseMerchant,
    problems: string[],
  ): Promise<Result> {
    const [row] = await read<{ statuses: string[]; saved: number }>`
      select coalesce((select array_agg(status::text) from checkout_sessions
                        where account_id = ${uuidOf(account)}), '{}') as statuses,
             (select count(*)::int from payment_methods
               where account_id = ${uuidOf(account)} and customer_id is not null) as saved`;
    const { statuses = [], saved = 0 } = row ?? {};
    const isComplete = statuses.includes("complete");
    if (statuses.length !== 1) problems.push(`${statuses.length} sessions`);
    if (!isComplete && !statuses.includes("open")) problems.push(`the session is ${statuses}`);
    if (saved !== (isComplete ? 1 : 0)) problems.push(`${saved} cards, and ${statuses}`);
    return isComplete ? "done" : "not done";
  }

  /** Returns the problems of the merchant's notifications that wait for an operator. */
  async function readReviews({ account }: CaseMerchant): Promise<readonly string[]> {
    const rows = await read<{ problem: string }>`
      select n.problem
        from acquirer_notifications n
        join processor_assignments a on a.connection_id = n.connection_id
         and a.merchant_account = n.item ->> 'merchantAccount'
       where a.account_id = ${uuidOf(account)} and n.state in ('review', 'unmatched')`;
    return rows.map(({ problem }) => problem);
  }

  /**
   * Returns the violations of the whole run: inconsistencies in the database, operations that were executed twice, and
   * sums that differ between the acquirers and the ledger.
   */
  async function violations(cases: readonly RunningCase[]): Promise<readonly string[]> {
    const report = await verify(shop.app.database, { cards: true });
    const twice = (await Promise.all(acquirers.map((one) => one.executedTwice()))).flat();
    const reviewed = await Promise.all(
      cases.map(async ({ merchant }) => (await readReviews(merchant)).length > 0),
    );
    const compared = cases.filter((_, index) => !reviewed[index]);
    return [
      ...(report.violations > 0 ? [printReport(report)] : []),
      ...twice.map((reference) => `executed twice: ${reference}`),
      ...(await differingSums(compared)),
    ];
  }

  /** Compares the money at the acquirers with the ledger, per acquirer and currency. */
  async function differingSums(cases: readonly RunningCase[]): Promise<string[]> {
    const sums = new Map<string, { atAcquirer: number; inLedger: number }>();
    for (const { acquirer, merchant, currency } of cases) {
      const name = `${acquirer.name}, ${currency}`;
      const sum = sums.get(name) ?? { atAcquirer: 0, inLedger: 0 };
      for (const { capturedMinor, refundedMinor } of await acquirer.paymentsOf(merchant)) {
        sum.atAcquirer += capturedMinor - refundedMinor;
      }
      const [row] = await read<{ receivable: number }>`
        select coalesce(sum(case when debit = 'acquirer_receivable' then amount else -amount end), 0)::int as receivable
          from ledger_transfers
         where account_id = ${uuidOf(merchant.account)} and currency = ${currency}
           and 'acquirer_receivable' in (debit, credit)`;
      sum.inLedger += row?.receivable ?? 0;
      sums.set(name, sum);
    }
    return [...sums]
      .filter(([, { atAcquirer, inLedger }]) => atAcquirer !== inLedger)
      .map(([name, sum]) => `${name}: ${JSON.stringify(sum)}`);
  }

  return { runTogether, problemsOf, violations };
}

/** The time in which the service's loops complete all work that is due. */
const settleMs = slowed(400);

/** The steps of the clock during the recovery. They cover the 15 minutes that the service waits for a notification. */
const recoverySteps: readonly number[] = [
  0,
  35 * second,
  2 * minute,
  16 * minute,
  16 * minute,
  hour,
  hour,
  0,
  0,
  0,
  35 * second,
  10 * minute,
  hour,
  hour,
];

type ChargeRow = {
  id: string;
  status: string;
  pending_reason: string | null;
  reversal_pending: boolean;
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  open: number;
  refunded: boolean;
  capture_failed: boolean;
};

type CaseCharge = {
  readonly id: ChargeId;
  readonly status: string;
  readonly reversing: boolean;
  readonly refunded: boolean;
  /** True if the capture failed after it had succeeded. */
  readonly captureFailed: boolean;
  readonly heldMinor: number;
  readonly capturedMinor: number;
  readonly refundedMinor: number;
};

function losesNotification({ fault }: FaultCase): boolean {
  return rulesOf(fault).losesNotification ?? false;
}

/** Returns the difference between a charge and its payment at the acquirer, or null. */
function differenceOf(charge: CaseCharge, payments: readonly PaymentAtAcquirer[]): string | null {
  const payment = payments.find(({ charge: id }) => id === charge.id);
  const moneyOf = ({
    heldMinor,
    capturedMinor,
    refundedMinor,
  }: Omit<PaymentAtAcquirer, "charge" | "currency">) => ({
    // At some acquirers, a partial capture leaves the remainder held until the authorization expires.
    heldMinor: capturedMinor > 0 || charge.captureFailed ? 0 : heldMinor,
    netMinor: capturedMinor - refundedMinor,
  });
  const none = { heldMinor: 0, capturedMinor: 0, refundedMinor: 0 };
  const ours = JSON.stringify(moneyOf(charge));
  const theirs = JSON.stringify(moneyOf(payment ?? none));
  return ours === theirs ? null : `the ${charge.status} charge has ${ours}, the acquirer ${theirs}`;
}

/**
 * Returns `done` if the case had the effect that its verb requests, `reversing` if the reversal is not confirmed, and
 * otherwise `not done`.
 */
function resultOf({ verb }: RunningCase, [charge]: readonly CaseCharge[]): Result {
  if (charge?.reversing) return "reversing";
  const isDone = () => {
    switch (verb) {
      case "hold":
        return charge?.status === "authorized";
      case "cancel":
        return charge?.status === "canceled";
      case "refund in full":
      case "refund in part":
        return charge?.refunded;
      case "capture in part":
        return charge?.status === "succeeded" && charge.capturedMinor === partMinor;
      default:
        return charge?.status === "succeeded" && charge.capturedMinor === amountMinor;
    }
  };
  return isDone() ? "done" : "not done";
}

/** Creates the charge that the verb needs. */
async function prepare(client: Client, one: RunningCase): Promise<void> {
  const { acquirer, merchant, verb } = one;
  const message = messages[verb];
  if (/^(authorize|verify|pay with a token)$/.test(message)) return;
  if (isReversal(message)) await acquirer.loseAuthorization(merchant, message);
  await pay(client, one, "the first payment");
  const { data } = (await send(client, one, "GET", "/charges")).body;
  const [charge] = data;
  const expected = isReversal(message) ? "processing" : isHeld(one) ? "authorized" : "succeeded";
  assert.equal(charge?.status, expected, `${acquirer.name}, ${verb}: ${JSON.stringify(data)}`);
  one.charge = charge.id;
}

function isHeld({ verb }: FaultCase): boolean {
  return /^(hold|capture|cancel|reversal of a hold)/.test(verb);
}

/**
 * Sends the request under test, and repeats it until a service responds. Sends nothing for a reversal, which the
 * service starts when it is due.
 */
async function sendRequest(client: Client, one: RunningCase): Promise<void> {
  const { verb, charge } = one;
  const key = "the request";
  switch (messages[verb]) {
    case "authorize":
    case "pay with a token":
    case "verify":
      return pay(client, one, key);
    case "capture": {
      const body = verb === "capture in part" ? { amount: partMinor } : {};
      return void (await send(client, one, "POST", `/charges/${charge}/capture`, { key, body }));
    }
    case "void":
      return void (await send(client, one, "POST", `/charges/${charge}/cancel`, { key, body: {} }));
    case "refund": {
      const amount = verb === "refund in part" ? partMinor : amountMinor;
      const body = { charge_id: charge, amount };
      return void (await send(client, one, "POST", "/refunds", { key, body }));
    }
  }
}

/**
 * Types the card into a new session, or pays there with a wallet, and confirms the payment or the verification. Repeats
 * each request until a service responds.
 */
async function pay(client: Client, one: RunningCase, key: string): Promise<void> {
  const { currency, price } = one;
  const capture_method = isHeld(one) ? "manual" : "automatic";
  const created = await send(client, one, "POST", "/checkout_sessions", {
    key: `${key}: session`,
    body:
      messages[one.verb] === "verify"
        ? { mode: "setup", currency }
        : { amount: price, currency, capture_method },
  });
  assert.equal(created.status, 201, created.text);
  const { id } = created.body.session;
  const secret = new URL(created.body.embed_url).hash.slice(1);
  const headers = { authorization: `Bearer ${secret}` };
  const stored =
    messages[one.verb] === "pay with a token"
      ? await storeToken(client, one, id, headers)
      : await storeCard(client, one, id, headers);
  // The service was killed after it stored the card and before it responded, so the repeated request is rejected.
  if (stored.status !== 201) {
    console.error(`${key}: ${stored.text}`);
    return;
  }
  await persist(client, "POST", `/embed/api/checkout_sessions/${id}/confirm`, {
    headers: { ...headers, "idempotency-key": key },
    body: { payment_method_id: stored.body.payment_method_id },
  });
}

function storeCard(
  client: Client,
  { acquirer }: RunningCase,
  session: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { number, cvc } = acquirer.card;
  return persist(client, "POST", "/vault/cards", {
    headers,
    body: { checkout_session_id: session, ...typed(number), cvc },
  });
}

async function storeToken(
  client: Client,
  { acquirer, merchant }: RunningCase,
  session: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  assert(acquirer.createToken && merchant.assignment);
  const { assignment } = merchant;
  return persist(client, "POST", "/vault/wallet_tokens", {
    headers,
    body: {
      checkout_session_id: session,
      assignment,
      ...(await acquirer.createToken(merchant)),
    },
  });
}

/** Sends a request with the merchant's secret key. */
function send(
  client: Client,
  { merchant }: RunningCase,
  method: string,
  path: string,
  { key, body }: { key?: string; body?: object } = {},
): Promise<Reply> {
  return persist(client, method, `/api/v1${path}`, {
    headers: {
      authorization: `Bearer ${merchant.key}`,
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body && { body }),
  });
}

/** Sends a request until a service responds, as a client with an idempotency key does. */
async function persist(
  ...[client, ...request]: [Client, ...Parameters<Client["send"]>]
): Promise<Reply> {
  const deadline = performance.now() + slowed(60_000);
  for (; ; await sleep(100)) {
    const reply = await client.send(...request).catch(() => null);
    if (reply && reply.status < 500 && reply.status !== 409) return reply;
    assert.ok(performance.now() < deadline, `${request[0]} ${request[1]}: ${reply?.text}`);
  }
}
