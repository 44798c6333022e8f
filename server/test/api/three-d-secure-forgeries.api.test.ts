import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import {
  type Cardholder,
  type Page,
  post,
  rightCode,
  submit,
  submitToIssuer,
} from "../cardholder.ts";
import { notificationPath, resultsPath, startChallenge } from "../challenge.ts";
import { startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

test("a success that arrives after the customer closed the challenge is acknowledged and changes nothing", async () => {
  const { cardholder, waitUntilFinal, readCharge } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  const page = await cardholder.openIssuerPage();
  await cardholder.cancel();
  const ended = await waitUntilFinal();
  const back = await submitToIssuer(shop, page, rightCode);
  assert.ok(back.form);
  assert.equal((await submit(shop, back.form)).status, 200);
  assert.deepEqual(await readCharge(), ended);
});

test("a CRes forged by the browser has no effect", async () => {
  const { cardholder, readCharge } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  const { body } = await cardholder.challenge();
  const creq = JSON.parse(Buffer.from(body.fields.creq, "base64url").toString());
  const path = await notificationPath(shop, creq.acsTransID);
  for (const cres of [
    { ...creq, messageType: "CRes", transStatus: "Y" },
    { ...creq, messageType: "CRes", transStatus: "Y", acsTransID: creq.threeDSServerTransID },
    { messageType: "CRes", transStatus: "Y" },
  ]) {
    for (const text of [encode(cres), encode(cres), `${encode(cres)}==`, "?", ""]) {
      assert.equal((await postForm(path, { cres: text })).status, 200);
    }
  }
  assert.equal((await readCharge()).status, "requires_action");
  assert.equal((await cardholder.step()).body.step, "challenge");
});

test("an RReq that is not from the directory server is rejected and changes nothing", async () => {
  const { cardholder, readCharge } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  const { body } = await cardholder.challenge();
  const creq = JSON.parse(Buffer.from(body.fields.creq, "base64url").toString());
  const forged = {
    messageType: "RReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    threeDSServerTransID: creq.threeDSServerTransID,
    acsTransID: creq.acsTransID,
    dsTransID: "00000000-0000-4000-8000-000000000000",
    transStatus: "Y",
    authenticationValue: "AAECAwQFBgcICQoLDA0ODxAREhM=",
    eci: "05",
  };
  // Sends the message to the results callback with the secret of the notification URL, because the browser receives
  // that secret.
  const notification = await notificationPath(shop, creq.acsTransID);
  const wrongCallback = notification.replace("/notification/", "/results/");
  assert.equal((await shop.send("POST", wrongCallback, { body: forged })).status, 404);
  assert.equal((await shop.sendInternal("POST", wrongCallback, { body: forged })).status, 404);
  // Sends the message to the correct callback URL. Its directory server transaction ID is wrong.
  const results = await resultsPath(shop, creq.acsTransID);
  const response = await shop.sendInternal("POST", results, { body: forged });
  assert.deepEqual([response.body.messageType, response.body.errorCode], ["Erro", "301"]);
  const broken = await shop.sendInternal("POST", results, {
    body: { ...forged, transStatus: "X" },
  });
  assert.deepEqual([broken.body.errorCode, broken.body.errorDetail], ["203", "transStatus"]);
  assert.equal((await readCharge()).status, "requires_action");
});

test("a duplicate or contradicting result is acknowledged and changes nothing", async () => {
  const { cardholder, waitUntilFinal, readCharge } = await startChallenge(shop, "4000003172000008");
  await cardholder.runUntilAres();
  const page = await cardholder.openIssuerPage();
  const { fields } = page.form as { fields: Record<string, string> };
  const acsTransID = fields.acsTransID as string;
  const results = await resultsPath(shop, acsTransID);
  await submitToIssuer(shop, page, "nothing");
  const ended = await waitUntilFinal();
  const [ids] = await shop.app.database.read<{ ds: string; server: string }>`
    select ds_transaction_id as ds, three_ds_server_transaction_id as server
      from simulator.challenges where acs_transaction_id = ${acsTransID}`;
  const second = await shop.sendInternal("POST", results, {
    body: {
      messageType: "RReq",
      messageVersion: "2.2.0",
      messageCategory: "01",
      threeDSServerTransID: ids?.server,
      acsTransID,
      dsTransID: ids?.ds,
      transStatus: "Y",
      authenticationValue: "AAECAwQFBgcICQoLDA0ODxAREhM=",
    },
  });
  assert.deepEqual([second.body.messageType, second.body.resultsStatus], ["RRes", "01"]);
  assert.deepEqual(await readCharge(), ended);
});

test("a CRes with base64 padding is accepted", async () => {
  const { cardholder } = await startChallenge(shop, "4000003175000005");
  await cardholder.runUntilAres();
  const back = await submitToIssuer(shop, await cardholder.openIssuerPage(), "nothing");
  assert.ok(back.form);
  const { cres = "" } = back.form.fields;
  const padded = cres.padEnd(Math.ceil(cres.length / 4) * 4, "=");
  assert.notEqual(padded, cres);
  await submit(shop, back.form, { cres: padded });
  const [row] = await shop.app.database.read<{ seen: boolean }>`
    select response_seen as seen from authentications where acs_transaction_id = ${acsTransactionIn(cres)}`;
  assert.equal(row?.seen, true);
});

const encode = (message: object) => Buffer.from(JSON.stringify(message)).toString("base64url");

function acsTransactionIn(cres: string): string {
  return JSON.parse(Buffer.from(cres, "base64url").toString()).acsTransID;
}

async function postForm(path: string, fields: Record<string, string>): Promise<Page> {
  return submit(shop, { path, fields });
}

test("the simulated issuer accepts only the exact URLs issued for the transaction", async () => {
  const { cardholder } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  const { threeDSServerTransID, notificationURL } = await readChallengeDetails(cardholder);
  const { challenges } = await countChallenges();
  const otherUrl = "http://127.0.0.1:9/elsewhere";
  const own = `${shop.app.internalUrl}${directory}`;
  for (const [fields, code] of [
    [{ dsURL: otherUrl, notificationURL }, "303"],
    [{ dsURL: `${own}@elsewhere`, notificationURL }, "303"],
    [{ dsURL: own, notificationURL: otherUrl }, "303"],
    [{ dsURL: own, notificationURL: `${shop.url}/x` }, "303"],
    [{ dsURL: own, notificationURL: `${notificationURL}A` }, "303"],
    [{ dsURL: own, notificationURL, threeDSServerTransID: unknownId }, "303"],
    [{ notificationURL }, "201"],
  ] as const) {
    const body = { ...attackersAReq, threeDSServerTransID, ...fields };
    const reply = await shop.sendInternal("POST", "/simulator/three-d-secure/bank", { body });
    assert.deepEqual(
      [reply.status, reply.body.messageType, reply.body.errorCode],
      [200, "Erro", code],
    );
  }
  assert.equal((await countChallenges()).challenges, challenges);
});

test("an outsider cannot make the directory server call itself and start a request loop", async () => {
  const { cardholder } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  const { threeDSServerTransID, notificationURL, resultsURL } =
    await readChallengeDetails(cardholder);
  const itself = `${shop.app.internalUrl}${directory}`;
  const sent = await countSent(async () => {
    for (const [threeDSServerURL, to] of [
      [itself, notificationURL],
      [`${shop.app.internalUrl}/`, notificationURL],
      [`${itself}#${new URL(resultsURL).pathname}`, notificationURL],
      [resultsURL, `${shop.url}/x`],
      [`${resultsURL}?`, notificationURL],
    ] as const) {
      const body = {
        ...attackersAReq,
        threeDSServerTransID,
        threeDSServerURL,
        notificationURL: to,
      };
      const { body: response } = await shop.sendInternal("POST", directory, { body });
      assert.deepEqual([response.messageType, response.errorCode], ["Erro", "303"]);
    }
  });
  assert.equal(sent, 0);
});

test("an RReq for an unknown challenge is not forwarded, even if some of its IDs are correct", async () => {
  const { cardholder } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  const known = await readChallengeDetails(cardholder);
  const rreq = {
    messageType: "RReq",
    messageVersion: "2.2.0",
    messageCategory: "01",
    threeDSServerTransID: known.threeDSServerTransID,
    acsTransID: known.acsTransID,
    dsTransID: known.dsTransID,
    transStatus: "N",
    transStatusReason: "01",
  };
  const sent = await countSent(async () => {
    for (const fields of [
      { dsTransID: unknownId },
      { acsTransID: unknownId },
      { threeDSServerTransID: unknownId },
    ]) {
      const body = { ...rreq, ...fields };
      const { body: response } = await shop.sendInternal("POST", directory, { body });
      assert.deepEqual([response.messageType, response.errorCode], ["Erro", "301"]);
    }
  });
  assert.equal(sent, 0);
  // A message with the real IDs is accepted, so the wrong IDs were the reason for the rejections.
  const { body: response } = await shop.sendInternal("POST", directory, { body: rreq });
  assert.equal(response.messageType, "RRes");
});

test("404: the public listener serves no directory server, AReq endpoint or test mode result", async () => {
  const { cardholder } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  const { resultsURL } = await readChallengeDetails(cardholder);
  for (const path of [directory, "/simulator/three-d-secure/bank", new URL(resultsURL).pathname]) {
    assert.equal((await shop.send("POST", path, { body: attackersAReq })).status, 404, path);
  }
  assert.match(shop.app.internalUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
});

test("404: the issuer's 3DS Method page exists only for a known authentication", async () => {
  for (const path of ["method", "method/silent"]) {
    for (const url of [
      `${shop.url}/x`,
      `${shop.url}/three-d-secure/method/acct_1/test/ch_1/secret`,
    ]) {
      const data = { threeDSServerTransID: unknownId, threeDSMethodNotificationURL: url };
      const page = await post(shop, `/simulator/three-d-secure/${path}`, {
        threeDSMethodData: encode(data),
      });
      assert.equal(page.status, 404);
    }
  }
});

const directory = "/simulator/three-d-secure/directory";
const unknownId = "00000000-0000-4000-8000-000000000000";

/** Returns the IDs and URLs of a challenge. An attacker knows only those that the browser receives. */
async function readChallengeDetails(cardholder: Cardholder) {
  const { body } = await cardholder.challenge();
  const { acsTransID } = JSON.parse(Buffer.from(body.fields.creq, "base64url").toString());
  const [row] = await shop.app.database.read<{
    threeDSServerTransID: string;
    dsTransID: string;
    notificationURL: string;
    resultsURL: string;
  }>`
    select c.three_ds_server_transaction_id as "threeDSServerTransID", c.ds_transaction_id as "dsTransID",
           c.notification_url as "notificationURL", t.three_ds_server_url as "resultsURL"
      from simulator.challenges c
      join simulator.directory_transactions t using (ds_transaction_id)
     where c.acs_transaction_id = ${acsTransID}`;
  assert.ok(row);
  return { acsTransID: acsTransID as string, ...row };
}

/** Returns the number of messages that the simulated network forwarded while `work` ran. */
async function countSent(work: () => Promise<void>): Promise<number> {
  const original = globalThis.fetch;
  let sent = 0;
  globalThis.fetch = (...args) => {
    if (String(args[0]).startsWith(shop.app.internalUrl)) sent++;
    return original(...args);
  };
  try {
    await work();
    await setTimeout(200);
  } finally {
    globalThis.fetch = original;
  }
  return sent;
}

test("invalid session data is not returned by the issuer and causes no error", async () => {
  const { cardholder } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  const { body } = await cardholder.challenge();
  for (const threeDSSessionData of ["a\0b", "\ud800", "<b>", "x".repeat(5000)]) {
    const path = new URL(body.url).pathname;
    const page = await post(shop, path, { creq: body.fields.creq, threeDSSessionData });
    assert.equal(page.status, 200, page.html);
  }
});

async function countChallenges(): Promise<{ challenges: number }> {
  const [row] = await shop.app.database.read<{ challenges: number }>`
    select count(*)::int as challenges from simulator.challenges`;
  return row as { challenges: number };
}

/** An AReq with every field that the issuer requires, except the URLs. */
const attackersAReq = {
  messageType: "AReq",
  messageVersion: "2.2.0",
  messageCategory: "01",
  deviceChannel: "02",
  threeDSServerTransID: "00000000-0000-4000-8000-000000000001",
  threeDSCompInd: "U",
  threeDSRequestorAuthenticationInd: "01",
  threeDSRequestorID: "attacker",
  threeDSRequestorName: "attacker",
  threeDSRequestorURL: "https://attacker.example",
  threeDSServerRefNumber: "attacker",
  threeDSServerURL: "https://attacker.example",
  acctNumber: "4000002760003184",
  acquirerBIN: "1",
  acquirerMerchantID: "attacker",
  mcc: "5999",
  merchantName: "attacker",
  merchantCountryCode: "840",
  purchaseAmount: "100",
  purchaseCurrency: "840",
  purchaseExponent: "2",
  purchaseDate: "20260101000000",
  browserAcceptHeader: "*/*",
  browserUserAgent: "attacker",
  browserLanguage: "en",
  browserJavascriptEnabled: true,
  dsTransID: "00000000-0000-4000-8000-000000000002",
  dsReferenceNumber: "attacker",
};
