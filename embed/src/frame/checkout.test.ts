import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndedFrameSession, FrameSession } from "@florin/contract/frame.ts";
import type { FrameMessage } from "../protocol/message.ts";
import { announcementOf, delayText } from "./announcement.ts";
import type { ApiResult, ErrorBody, FrameApi, ServedSession } from "./api.ts";
import { createCheckout } from "./checkout.ts";
import { words } from "./locales/en.ts";
import { applePay, sessionWith, testWallet } from "./session.fixture.ts";

const card = {
  number: "4242 4242 4242 4242",
  expiry: "12 / 30",
  cvc: "123",
  name: "Ada Lovelace",
  postal_code: "",
};
const paid = sessionWith({ status: "complete", payment_status: "paid", attempts: 1 });
const lost = { kind: "unreachable" } as const;
const ok = <Body>(body: Body) => ({ kind: "ok", body }) as const;

const savedCard = {
  payment_method_id: "pm_01jbqw3e4r5t6y7z8x9cvbnmas",
  brand: "mastercard",
  last4: "4444",
  exp_month: 4,
  exp_year: 2031,
} as const;

type Script = {
  first?: ServedSession | typeof lost;
  confirm?: (times: number) => ApiResult<ServedSession> | Promise<ApiResult<ServedSession>>;
  read?: (times: number) => ApiResult<ServedSession> | Promise<ApiResult<ServedSession>>;
  cancel?: () => ApiResult<FrameSession>;
  store?: () => ApiResult<{ payment_method_id: string }>;
  token?: (times: number) => ApiResult<{ token: string }>;
  newKey?: () => string;
};

/** Creates a checkout with a completed form and a service that responds according to the script. */
async function startCheckout(script: Script) {
  const calls: string[] = [];
  const messages: FrameMessage[] = [];
  const reported: unknown[] = [];
  const planned: { ms: number; run: () => void }[] = [];
  let keys = 0;
  let confirms = 0;
  let reads = 0;
  let stored = 0;
  let tokens = 0;
  const api: FrameApi = {
    async readSession() {
      calls.push("read");
      reads += 1;
      if (reads > 1) return script.read?.(reads - 1) ?? ok(sessionWith({}));
      const first = script.first ?? sessionWith({});
      return "kind" in first ? first : ok(first);
    },
    async storeCard(_, network) {
      calls.push(network ? `store ${network}` : "store");
      stored += 1;
      return script.store?.() ?? ok({ payment_method_id: `pm_${stored}` });
    },
    async requestWalletToken(_, cardId) {
      calls.push(`token ${cardId}`);
      tokens += 1;
      return script.token?.(tokens) ?? ok({ token: `token_${tokens}` });
    },
    async startAppleSession() {
      return ok({ merchant_session: {} });
    },
    async storeWalletToken(token) {
      calls.push(`store ${token}`);
      stored += 1;
      return script.store?.() ?? ok({ payment_method_id: `pm_${stored}` });
    },
    async confirm(paymentMethodId, key, save, cvc) {
      calls.push(`confirm ${paymentMethodId} ${key}${save ? " save" : ""}${cvc ? ` ${cvc}` : ""}`);
      confirms += 1;
      return script.confirm?.(confirms) ?? ok(paid);
    },
    async cancelChallenge() {
      calls.push("cancel");
      return script.cancel?.() ?? ok(sessionWith({ attempts: 1 }));
    },
  };
  const checkout = createCheckout({
    api,
    newKey: script.newKey ?? (() => `key_${++keys}`),
    wait: async () => {},
    report: (bug) => reported.push(bug),
    words: () => words,
    now: () => 1_790_000_000_000,
    later(ms, run) {
      const plan = { ms, run };
      planned.push(plan);
      return () => {
        // Canceling a timer that has already run has no effect.
        if (planned.includes(plan)) planned.splice(planned.indexOf(plan), 1);
      };
    },
    notifyPage: (message) => messages.push(message),
  });
  await checkout.refresh();
  checkout.fill(card);
  return { checkout, calls, messages, planned, reported };
}

/** Runs the scheduled calls one after another and returns the delay before each. */
async function passTime(planned: { ms: number; run: () => void }[], times = 20): Promise<number[]> {
  const waits: number[] = [];
  while (planned.length > 0 && waits.length < times) {
    const next = planned.pop();
    waits.push(next?.ms ?? 0);
    next?.run();
    await new Promise(setImmediate);
  }
  return waits;
}

const confirmsIn = (calls: string[]) => calls.filter((call) => call.startsWith("confirm"));
const types = (messages: FrameMessage[]) => messages.map((message) => message.type);

test("two simultaneous clicks send one confirm request", async () => {
  const { checkout, calls } = await startCheckout({});
  await Promise.all([checkout.submit(), checkout.submit()]);
  assert.deepEqual(calls, ["read", "store", "confirm pm_1 key_1"]);
});

test("after a success the card number and CVC are cleared from memory", async () => {
  const { checkout, messages } = await startCheckout({});
  await checkout.submit();
  assert.deepEqual(checkout.state().fields, {
    number: "",
    expiry: "",
    cvc: "",
    name: "",
    postal_code: "",
  });
  assert.deepEqual(types(messages).slice(-2), ["submitting", "complete"]);
});

test("a confirm request whose response was lost is retried with the same key", async () => {
  const { checkout, calls } = await startCheckout({
    confirm: (times) => (times < 3 ? lost : ok(paid)),
  });
  await checkout.submit();
  assert.deepEqual(confirmsIn(calls), Array(3).fill("confirm pm_1 key_1"));
  assert.equal(calls.filter((call) => call === "store").length, 1);
});

test("a confirm request is not retried when reading the session shows that it succeeded", async () => {
  const { checkout, calls } = await startCheckout({ confirm: () => lost, read: () => ok(paid) });
  await checkout.submit();
  assert.equal(confirmsIn(calls).length, 1);
  assert.equal(checkout.state().session?.status, "complete");
});

test("after a connection failure, pressing Pay again continues the same attempt", async () => {
  let online = false;
  const { checkout, calls, messages } = await startCheckout({
    confirm: () => (online ? ok(paid) : lost),
    read: () => lost,
  });
  await checkout.submit();
  assert.equal(checkout.state().notice?.kind, "no_response");
  assert.equal(checkout.state().busy, false);
  assert.equal(messages.at(-1)?.type, "error");
  online = true;
  await checkout.submit();
  assert.deepEqual(new Set(confirmsIn(calls)), new Set(["confirm pm_1 key_1"]));
  assert.equal(checkout.state().session?.status, "complete");
});

const rejectedFor = (param: string) => () =>
  ({
    kind: "rejected",
    status: 400,
    error: { type: "invalid_request_error", code: "parameter_invalid", message: "No.", param },
  }) as const;

test("when another tab has already paid, this tab reports the payment and no error", async () => {
  for (const late of [{ store: rejectedFor("id") }, { confirm: rejectedFor("id") }]) {
    const { checkout, messages } = await startCheckout({ ...late, read: () => ok(paid) });
    await checkout.submit();
    assert.deepEqual(types(messages).slice(-2), ["submitting", "complete"]);
    assert.equal(checkout.state().notice, null);
    assert.equal(announcementOf(checkout.state(), words, "en"), "");
  }
});

test("a rejection of an open session is shown until the session changes", async () => {
  const { checkout, messages, planned } = await startCheckout({
    store: rejectedFor("id"),
    read: (times) => ok(times < 2 ? sessionWith({}) : paid),
  });
  await checkout.submit();
  assert.deepEqual(types(messages).slice(-2), ["submitting", "error"]);
  assert.equal(checkout.state().notice?.kind, "rejected");
  assert.match(announcementOf(checkout.state(), words, "en"), /could not be started/);
  assert.equal(planned.length, 1);
  await checkout.refresh();
  assert.equal(announcementOf(checkout.state(), words, "en"), "");
});

test("after a lost response the session is read automatically until the outcome is known", async () => {
  const { checkout, planned } = await startCheckout({
    confirm: () => lost,
    read: (times) => (times < 7 ? lost : ok(paid)),
  });
  await checkout.submit();
  assert.equal(checkout.state().notice?.kind, "no_response");
  assert.deepEqual(await passTime(planned), [4000, 4000]);
  assert.equal(checkout.state().session?.status, "complete");
  assert.equal(checkout.state().notice, null);
});

test("a canceled challenge is announced as canceled, not as declined", async () => {
  const code = "authentication_canceled";
  const canceled = sessionWith({
    attempts: 1,
    last_payment_error: { code, decline_code: code, message: "Canceled." },
  });
  const { checkout } = await startCheckout({ confirm: () => ok(canceled) });
  await checkout.submit();
  assert.match(
    announcementOf(checkout.state(), words, "en"),
    /^Verification canceled\. You canceled/,
  );
});

test("when the lost response was a decline, pressing Pay again starts a new attempt", async () => {
  const declined = sessionWith({
    attempts: 1,
    last_payment_error: { code: "card_declined", decline_code: "generic_decline", message: "No." },
  });
  let online = false;
  const { checkout, calls } = await startCheckout({
    confirm: () => (online ? ok(paid) : lost),
    read: () => (online ? ok(declined) : lost),
  });
  await checkout.submit();
  online = true;
  await checkout.refresh();
  assert.match(announcementOf(checkout.state(), words, "en"), /^Payment declined/);
  await checkout.submit();
  assert.equal(confirmsIn(calls).at(-1), "confirm pm_2 key_2");
});

test("the form appears once the connection is restored after a failed first load", async () => {
  const { checkout, planned } = await startCheckout({
    first: lost,
    read: (times) => (times < 2 ? lost : ok(sessionWith({ expires_at: 1_790_000_900 }))),
  });
  assert.equal(checkout.state().loadFailure, "unreachable");
  assert.deepEqual((await passTime(planned, 2)).slice(0, 2), [4000, 4000]);
  assert.equal(checkout.state().loadFailure, null);
  assert.equal(checkout.state().session?.status, "open");
});

test("an exception during an attempt unlocks the form, and Pay can be pressed again", async () => {
  let broken = true;
  const bug = new TypeError("not a function");
  const { checkout, reported } = await startCheckout({
    newKey: () => {
      if (broken) throw bug;
      return "key";
    },
  });
  await checkout.submit();
  assert.equal(checkout.state().busy, false);
  assert.equal(checkout.state().notice?.kind, "no_response");
  assert.deepEqual(reported, [bug], "the exception is reported");
  broken = false;
  await checkout.submit();
  assert.equal(checkout.state().session?.status, "complete");
});

test("an exception after the confirm request was sent keeps its key, so that a retry cannot charge twice", async () => {
  const { checkout, calls } = await startCheckout({
    confirm(times) {
      if (times === 1) throw new TypeError("not a function");
      return ok(paid);
    },
  });
  await checkout.submit();
  await checkout.submit();
  assert.deepEqual(confirmsIn(calls), Array(2).fill("confirm pm_1 key_1"));
});

test("a decline keeps the form, and the next attempt has its own card and key", async () => {
  const declined = sessionWith({
    attempts: 1,
    last_payment_error: {
      code: "card_declined",
      decline_code: "insufficient_funds",
      message: "No.",
    },
  });
  const { checkout, calls, messages } = await startCheckout({
    confirm: (times) => ok(times === 1 ? declined : paid),
  });
  await checkout.submit();
  assert.equal(checkout.state().fields.number, card.number);
  assert.equal(messages.at(-1)?.type, "failed");
  checkout.edit("number", "5555 5555 5555 4444");
  await checkout.submit();
  assert.deepEqual(confirmsIn(calls), ["confirm pm_1 key_1", "confirm pm_2 key_2"]);
});

test("a decline that names a field marks the field and requests focus for it", async () => {
  const wrongCode = sessionWith({
    attempts: 1,
    last_payment_error: { code: "incorrect_cvc", decline_code: "incorrect_cvc", message: "No." },
  });
  const { checkout } = await startCheckout({ confirm: () => ok(wrongCode) });
  await checkout.submit();
  assert.deepEqual(checkout.state().problems, { cvc: "cvc_rejected" });
  assert.deepEqual(checkout.state().focus, { field: "cvc" });
});

test("a card that the vault rejects is never charged", async () => {
  const error: ErrorBody = { type: "card_error", code: "incorrect_number", message: "No." };
  const { checkout, calls, messages } = await startCheckout({
    store: () => ({ kind: "rejected", status: 402, error }),
  });
  await checkout.submit();
  assert.deepEqual(calls, ["read", "store"]);
  assert.deepEqual(checkout.state().problems, { number: "number_rejected" });
  assert.equal(messages.at(-1)?.type, "failed");
});

test("a field that the service rejects is marked and focused", async () => {
  const { checkout } = await startCheckout({
    store: rejectedFor("name"),
  });
  await checkout.submit();
  assert.equal(checkout.state().notice?.kind, "rejected");
  assert.deepEqual(checkout.state().problems, { name: "name_rejected" });
  assert.deepEqual(checkout.state().focus, { field: "name" });
});

test("a form with errors sends no request and focuses the first error", async () => {
  const { checkout, calls } = await startCheckout({});
  checkout.fill({ ...card, expiry: "13 / 30", cvc: "" });
  await checkout.submit();
  assert.deepEqual(calls, ["read"]);
  assert.deepEqual(checkout.state().focus, { field: "expiry" });
});

test("a processing session is polled with increasing delays until it ends", async () => {
  const processing = sessionWith({ status: "processing", attempts: 1 });
  const { checkout, planned } = await startCheckout({
    confirm: () => ok(processing),
    read: (times) => ok(times < 4 ? processing : paid),
  });
  await checkout.submit();
  assert.deepEqual(await passTime(planned), [1000, 1000, 2000, 3000]);
  assert.equal(checkout.state().session?.status, "complete");
});

test("a stale response does not show the form again after the payment ended", async () => {
  let release = (_: ApiResult<FrameSession>) => {};
  const { checkout } = await startCheckout({
    read: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  });
  const stale = checkout.refresh();
  await checkout.submit();
  release(ok(sessionWith({})));
  await stale;
  assert.equal(checkout.state().session?.status, "complete");
});

test("a missing session and a failed connection are reported differently", async () => {
  const error: ErrorBody = {
    type: "invalid_request_error",
    code: "resource_missing",
    message: "No.",
  };
  const responses: ApiResult<FrameSession>[] = [lost, { kind: "rejected", status: 404, error }];
  const checkout = createCheckout({
    api: { readSession: async () => responses.shift() as ApiResult<FrameSession> } as FrameApi,
    newKey: () => "key",
    wait: async () => {},
    report: () => {},
    words: () => words,
    now: () => 0,
    later: () => () => {},
    notifyPage: () => {},
  });
  await checkout.refresh();
  assert.equal(checkout.state().loadFailure, "unreachable");
  await checkout.refresh();
  assert.equal(checkout.state().loadFailure, "missing");
});

const challenged = sessionWith({
  status: "requires_action",
  attempts: 1,
  next_action: {
    type: "redirect",
    url: "/challenge/x",
    step: "challenge",
    expires_at: 1_790_000_900,
  },
});
const abandoned = sessionWith({
  attempts: 1,
  last_payment_error: {
    code: "authentication_canceled",
    decline_code: "authentication_canceled",
    message: "",
  },
});

test("closing the challenge cancels it and returns to the form", async () => {
  const { checkout, calls, messages } = await startCheckout({
    confirm: () => ok(challenged),
    cancel: () => ok(abandoned),
  });
  await checkout.submit();
  await Promise.all([checkout.cancelChallenge(), checkout.cancelChallenge()]);
  assert.equal(calls.filter((call) => call === "cancel").length, 1);
  assert.equal(checkout.state().session?.status, "open");
  assert.deepEqual(types(messages).slice(-2), ["requires_action", "failed"]);
});

test("when the cancel request is lost, the challenge continues and the session is polled", async () => {
  const { checkout, planned } = await startCheckout({
    confirm: () => ok(challenged),
    cancel: () => lost,
  });
  await checkout.submit();
  await checkout.cancelChallenge();
  assert.equal(checkout.state().session?.status, "requires_action");
  assert.equal(checkout.state().busy, false);
  assert.equal(planned.length, 1);
});

test("a decline because of the postal code makes the form require one", async () => {
  const { checkout, calls } = await startCheckout({
    confirm: () =>
      ok(
        sessionWith({
          attempts: 1,
          last_payment_error: { code: "incorrect_zip", decline_code: "incorrect_zip", message: "" },
        }),
      ),
  });
  await checkout.submit();
  assert.equal(checkout.state().problems.postal_code, "postal_code_rejected");
  checkout.edit("postal_code", "");
  await checkout.submit();
  assert.equal(confirmsIn(calls).length, 1, "an attempt without a postal code is not sent");
});

test("a card is saved only if the session offers it and the customer consents", async () => {
  const offered = { read: () => ok(sessionWith({ save_payment_method: true })) };
  const silent = await startCheckout(offered);
  await silent.checkout.refresh();
  await silent.checkout.submit();
  assert.deepEqual(confirmsIn(silent.calls), ["confirm pm_1 key_1"]);

  const agreed = await startCheckout(offered);
  await agreed.checkout.refresh();
  agreed.checkout.consent(true);
  await agreed.checkout.submit();
  assert.deepEqual(confirmsIn(agreed.calls), ["confirm pm_1 key_1 save"]);

  const notOffered = await startCheckout({});
  notOffered.checkout.consent(true);
  await notOffered.checkout.submit();
  assert.deepEqual(confirmsIn(notOffered.calls), ["confirm pm_1 key_1"]);
});

test("a saved card is selected by default and pays with its CVC, without storing a new card", async () => {
  const { checkout, calls, messages } = await startCheckout({
    first: sessionWith({ saved_cards: [savedCard], save_payment_method: true }),
  });
  assert.equal(checkout.state().saved, null, "filling in a new card deselects the saved card");
  checkout.consent(true);
  checkout.choose(savedCard.payment_method_id);
  const message = { type: "change", brand: "mastercard", invalid: [] };
  assert.deepEqual(
    messages.at(-1),
    { ...message, complete: false },
    "the CVC of another card is not reused",
  );
  checkout.edit("cvc", "321");
  assert.deepEqual(messages.at(-1), { ...message, complete: true });
  await checkout.submit();
  assert.deepEqual(confirmsIn(calls), [`confirm ${savedCard.payment_method_id} key_1 321`]);
  assert.ok(!calls.includes("store"));
});

test("a saved card requires a complete CVC, whose length depends on the brand", async () => {
  const amex = { ...savedCard, brand: "amex", last4: "0005" } as const;
  const { checkout, calls } = await startCheckout({ first: sessionWith({ saved_cards: [amex] }) });
  checkout.choose(amex.payment_method_id);
  for (const [code, problem] of [
    ["", "cvc_missing"],
    ["123", "cvc_incomplete"],
  ] as const) {
    checkout.edit("cvc", code);
    await checkout.submit();
    assert.deepEqual(checkout.state().problems, { cvc: problem });
    assert.equal(checkout.state().focus?.field, "cvc");
  }
  assert.deepEqual(confirmsIn(calls), []);
});

test("after a lost response, a saved card is retried with its key, and another card starts a new attempt", async () => {
  const first = sessionWith({ saved_cards: [savedCard] });
  let silent = true;
  const { checkout, calls } = await startCheckout({
    first,
    confirm: () => (silent ? lost : ok(paid)),
    read: () => (silent ? lost : ok(first)),
  });
  checkout.choose(savedCard.payment_method_id);
  checkout.edit("cvc", "123");
  await checkout.submit();
  await checkout.submit();
  assert.deepEqual(
    new Set(confirmsIn(calls)),
    new Set([`confirm ${savedCard.payment_method_id} key_1 123`]),
  );
  silent = false;
  checkout.choose(null);
  checkout.edit("cvc", "123");
  await checkout.submit();
  assert.equal(confirmsIn(calls).at(-1), "confirm pm_1 key_2");
});

test("a declined saved card marks no field, and a deleted one is deselected", async () => {
  const declined = sessionWith({
    attempts: 1,
    saved_cards: [savedCard],
    last_payment_error: { code: "expired_card", decline_code: "expired_card", message: "" },
  });
  const { checkout } = await startCheckout({
    first: sessionWith({ saved_cards: [savedCard] }),
    confirm: () => ok(declined),
    read: () => ok({ ...declined, saved_cards: [] }),
  });
  checkout.choose(savedCard.payment_method_id);
  checkout.edit("cvc", "123");
  await checkout.submit();
  assert.deepEqual(checkout.state().problems, {});
  assert.equal(checkout.state().saved, savedCard.payment_method_id);
  await checkout.refresh();
  assert.equal(checkout.state().saved, null);
});

for (const how of ["the bank", "the service"] as const) {
  test(`a CVC of a saved card that ${how} rejects marks the CVC field`, async () => {
    const code = how === "the bank" ? "incorrect_cvc" : "invalid_cvc";
    const first = sessionWith({ saved_cards: [savedCard] });
    const declined = { code: "incorrect_cvc", decline_code: "incorrect_cvc", message: "" } as const;
    const { checkout } = await startCheckout({
      first,
      confirm: () =>
        how === "the bank"
          ? ok({ ...first, attempts: 1, last_payment_error: declined })
          : {
              kind: "rejected",
              status: 402,
              error: { type: "card_error", code, message: "", param: "cvc" },
            },
    });
    checkout.choose(savedCard.payment_method_id);
    checkout.edit("cvc", "123");
    await checkout.submit();
    assert.deepEqual(checkout.state().problems, { cvc: "cvc_rejected" });
    assert.equal(checkout.state().focus?.field, "cvc");
  });
}

const ended: EndedFrameSession = {
  id: paid.id,
  mode: "payment",
  status: "complete",
  payment_status: "paid",
  merchant_name: "Kiosk Nord",
  logo_path: null,
  support_email: null,
  support_phone: null,
  allowed_origins: [],
  return_url: "https://kiosk.example/thanks",
  last_payment_error: null,
  server_time: 1_790_000_000,
};

test("the final screen keeps the order details, although the service no longer returns them", async () => {
  const { checkout, messages } = await startCheckout({ confirm: () => ok(ended) });
  await checkout.submit();
  const { session } = checkout.state();
  assert.ok(session && "amount" in session);
  assert.deepEqual([session.status, session.amount], ["complete", 1999]);
  assert.equal(session.success_url, "https://kiosk.example/thanks");
  assert.ok(types(messages).includes("complete"));
});

test("an ended session that is opened again shows its outcome and sends no more requests", async () => {
  const { checkout, messages, planned } = await startCheckout({ first: ended });
  assert.equal(checkout.state().session?.status, "complete");
  assert.ok(types(messages).includes("complete"));
  assert.deepEqual(planned, []);
  await checkout.submit();
});

test("the chosen network is sent to the vault only for a co-badged card", async () => {
  const first = sessionWith({
    co_badged: [{ prefix: "4000002500001", networks: ["visa", "cartes_bancaires"] }],
  });
  const { checkout, calls } = await startCheckout({ first, confirm: () => ok(first) });
  const typed = async (number: string) => {
    checkout.edit("number", number);
    await checkout.submit();
    return calls.filter((call) => call.startsWith("store")).at(-1);
  };
  assert.equal(await typed("4000 0025 0000 1001"), "store");
  checkout.chooseNetwork("cartes_bancaires");
  assert.equal(await typed("4000 0025 0000 1001"), "store cartes_bancaires");
  assert.equal(await typed("4242 4242 4242 4242"), "store");
});

test("a slow payment shows a waiting text after 4 s, and after 10 s also that the page must stay open", async () => {
  const respond = Promise.withResolvers<ApiResult<ServedSession>>();
  const { checkout, planned } = await startCheckout({ confirm: () => respond.promise });
  const text = () => delayText(checkout.state(), words);
  const paying = checkout.submit();
  const timers = planned.map(({ ms, run }) => [ms, run] as const);
  assert.deepEqual(
    timers.map(([ms]) => ms),
    [4_000, 10_000],
  );
  assert.equal(text(), null);
  timers[0]?.[1]();
  assert.equal(text(), "Still waiting for your bank…");
  timers[1]?.[1]();
  assert.equal(text(), "Still waiting for your bank… Do not close this page.");
  assert.equal(announcementOf(checkout.state(), words, "en"), text());
  respond.resolve(ok(paid));
  await paying;
  assert.deepEqual([text(), planned], [null, []]);
});

test("the waiting time continues from the payment to the processing screen", async () => {
  const processing = sessionWith({ status: "processing", attempts: 1 });
  const { checkout, planned } = await startCheckout({ confirm: () => ok(processing) });
  await checkout.submit();
  const delays = planned.filter(({ ms }) => ms === 4_000 || ms === 10_000);
  assert.equal(delays.length, 2, "the processing screen starts no new timers");
  delays[1]?.run();
  assert.equal(checkout.state().delay, "very_slow");
});

test("without a connection, the form shows a text during a payment, and none before a payment", async () => {
  const respond = Promise.withResolvers<ApiResult<ServedSession>>();
  const { checkout } = await startCheckout({ confirm: () => respond.promise });
  checkout.setOffline(true);
  assert.equal(delayText(checkout.state(), words), null);
  const paying = checkout.submit();
  assert.equal(delayText(checkout.state(), words), words.offline);
  checkout.setOffline(false);
  assert.equal(delayText(checkout.state(), words), null);
  respond.resolve(ok(paid));
  await paying;
});

const withWallet = sessionWith({ wallets: [testWallet], save_payment_method: true });

test("a wallet payment uses the wallet's token, ignores the fields of the form and does not save the card", async () => {
  const { checkout, calls } = await startCheckout({ first: withWallet });
  checkout.edit("number", "42");
  checkout.consent(true);
  await checkout.payWithWallet({ wallet: testWallet, cardId: "success" });
  assert.deepEqual(calls, ["read", "token success", "store token_1", "confirm pm_1 key_1"]);
  assert.equal(checkout.state().session?.status, "complete");
});

test("a token whose storage was not confirmed is sent again, and the payment keeps its key", async () => {
  let stores = 0;
  const { checkout, calls } = await startCheckout({
    first: withWallet,
    store: () => (++stores === 1 ? lost : ok({ payment_method_id: "pm_1" })),
    confirm: (times) => (times === 1 ? lost : ok(paid)),
  });
  await checkout.payWithWallet({ wallet: testWallet, cardId: "success" });
  assert.deepEqual(
    calls.filter((call) => call !== "read"),
    ["token success", "store token_1", "store token_1", "confirm pm_1 key_1", "confirm pm_1 key_1"],
  );
});

test("a declined wallet marks no field of the form, and a typed card starts a new attempt", async () => {
  const declined = sessionWith({
    attempts: 1,
    last_payment_error: { code: "expired_card", decline_code: "expired_card", message: "" },
  });
  const { checkout, calls } = await startCheckout({
    first: withWallet,
    confirm: (times) => ok(times === 1 ? declined : paid),
  });
  await checkout.payWithWallet({ wallet: testWallet, cardId: "success" });
  assert.deepEqual(checkout.state().problems, {});
  await checkout.submit();
  assert.deepEqual(confirmsIn(calls), ["confirm pm_1 key_1", "confirm pm_2 key_2"]);
});

test("a rejected token and a wallet that cannot be reached charge nothing", async () => {
  const error = {
    type: "invalid_request_error",
    code: "wallet_token_rejected",
    message: "",
    param: "token",
  };
  const rejected = { kind: "rejected", status: 400, error } as const;
  const first = await startCheckout({ first: withWallet, store: () => rejected });
  await first.checkout.payWithWallet({ wallet: testWallet, cardId: "success" });
  assert.deepEqual(first.checkout.state().notice, { kind: "rejected", code: error.code });
  assert.deepEqual(first.checkout.state().problems, {});
  const second = await startCheckout({ first: withWallet, token: () => lost });
  await second.checkout.payWithWallet({ wallet: testWallet, cardId: "success" });
  assert.equal(second.checkout.state().notice?.kind, "no_response");
  for (const { calls } of [first, second]) assert.deepEqual(confirmsIn(calls), []);
});

const inApplePay = { wallet: applePay, token: "{}" } as const;
const processing = sessionWith({ status: "processing", attempts: 1 });

test("the sheet of a wallet gets the outcome after the bank has responded", async () => {
  const declined = sessionWith({
    attempts: 1,
    last_payment_error: { code: "card_declined", decline_code: "generic_decline", message: "" },
  });
  for (const [after, outcome] of [
    [paid, "paid"],
    [declined, "not_paid"],
    [sessionWith({ status: "failed", attempts: 5 }), "not_paid"],
    [sessionWith({ status: "requires_action", attempts: 1 }), "pending"],
  ] as const) {
    const direct = await startCheckout({ confirm: () => ok(after) });
    assert.equal(await direct.checkout.payWithWallet(inApplePay), outcome);
    const later = await startCheckout({ confirm: () => ok(processing), read: () => ok(after) });
    const paying = later.checkout.payWithWallet(inApplePay);
    await new Promise(setImmediate);
    await later.checkout.refresh();
    assert.equal(await paying, outcome);
  }
});

test("the sheet of a wallet does not wait longer than 20 seconds for the bank", async () => {
  const { checkout, planned } = await startCheckout({ confirm: () => ok(processing) });
  const paying = checkout.payWithWallet(inApplePay);
  await new Promise(setImmediate);
  planned.find(({ ms }) => ms === 20_000)?.run();
  assert.equal(await paying, "pending");
});

test("a token that arrives while the form is not shown or a payment is in progress is not stored", async () => {
  const ended = await startCheckout({ first: paid });
  assert.equal(await ended.checkout.payWithWallet(inApplePay), "not_paid");
  const { checkout, calls } = await startCheckout({});
  const [, outcome] = await Promise.all([checkout.submit(), checkout.payWithWallet(inApplePay)]);
  assert.equal(outcome, "not_paid");
  assert.deepEqual(
    [...ended.calls, ...calls].filter((call) => /^store ./.test(call)),
    [],
  );
});

test("a wallet that cannot be opened shows its name, and the next attempt removes the message", async () => {
  const { checkout, messages } = await startCheckout({});
  checkout.reportWalletFailure(applePay);
  assert.deepEqual(checkout.state().notice, { kind: "wallet", code: "apple_pay" });
  assert.deepEqual(messages.at(-1), {
    type: "error",
    code: "wallet_unavailable",
    message: "The wallet could not be opened. The customer can try again or pay by card.",
  });
  await checkout.submit();
  assert.equal(checkout.state().notice, null);
});
