import { randomUUID } from "node:crypto";
import { findTestCard } from "@florin/contract/test-cards.ts";
import { eciOf, type TransStatus } from "@florin/server/acquiring/three-d-secure/eci.ts";
import {
  type ARes,
  protocolVersion,
  type RReq,
} from "@florin/server/acquiring/three-d-secure/message.ts";
import {
  erroFor,
  readMessage,
  type Violation,
  writeMessage,
} from "@florin/server/acquiring/three-d-secure/read-message.ts";
import { createExchange } from "@florin/server/acquiring/three-d-secure/send-message.ts";
import { type Background, type Loop, startLoop } from "@florin/server/platform/jobs/loop.ts";
import {
  claimDueChallenges,
  countWrongCode,
  decideChallenge,
  insertChallenge,
  markResultSent,
  readChallenge,
  recordCReq,
} from "./challenge.sql.ts";
import {
  type CardholderInput,
  type Challenge,
  evaluateInput,
  type Verdict,
  verdictAfterTimeout,
} from "./challenge.ts";
import { cryptogramOf } from "./cryptogram.ts";
import { behaviorOf } from "./directory-server.ts";
import {
  acsOrigin,
  onThisListener,
  simulatorPaths,
  type ThreeDSecureSimulatorDeps,
} from "./simulator-deps.ts";
import { acsViolation, type ForwardedAReq, isForwarded, notForwarded } from "./validate-areq.ts";

/**
 * The simulated issuer's access control server. Challenges are stored in the database, so that they survive a restart.
 */
export type IssuerAcs = {
  receiveAReq(body: string): Promise<string>;
  /** Handles the CReq that the browser posted. Returns null if the challenge is unknown. */
  receiveCReq(acsTransactionId: string, sessionData: string | null): Promise<Challenge | null>;
  /** Handles the cardholder's input. Sends the RReq before it returns. */
  receiveInput(acsTransactionId: string, input: CardholderInput): Promise<Challenge | null>;
  /** Ends challenges that have timed out, and sends undelivered results again. */
  startChallengeExpiry(background: Background): Loop;
};

const reference = "3DS_LOA_ACS_FLRN_020200_00001";
const directoryTimeoutMs = 8_000;

export function createIssuerAcs(deps: ThreeDSecureSimulatorDeps): IssuerAcs {
  const { database, clock, timing, serverUrl } = deps;
  const sendToDirectory = createExchange();
  const fromNow = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds);

  async function respondToAReq(areq: ForwardedAReq): Promise<ARes> {
    const card = findTestCard(areq.acctNumber);
    const behavior = card && behaviorOf(card, areq);
    // If the issuer does not participate, the network returns an attempt (A) in its place.
    const areqOutcome = behavior?.areqOutcome ?? "A";
    const transStatus =
      areqOutcome === "times_out" || areqOutcome === "look_up_fails" ? "U" : areqOutcome;
    const ids = {
      threeDSServerTransID: areq.threeDSServerTransID,
      dsTransID: areq.dsTransID,
      acsTransID: randomUUID(),
    };
    const ares: ARes = {
      messageType: "ARes",
      messageVersion: areq.messageVersion,
      ...ids,
      acsReferenceNumber: reference,
      dsReferenceNumber: areq.dsReferenceNumber,
      acsOperatorID: "florin-test-bank",
      transStatus,
    };
    const brand = card?.brand ?? "unknown";
    if (transStatus !== "C") return { ...ares, ...frictionless(brand, transStatus, ids.dsTransID) };
    await database.autocommit((tx) =>
      insertChallenge(tx, {
        acsTransactionId: ids.acsTransID,
        dsTransactionId: ids.dsTransID,
        threeDSServerTransactionId: ids.threeDSServerTransID,
        behavior: behavior?.challenge ?? "person_decides",
        brand,
        last4: areq.acctNumber.slice(-4),
        merchantName: areq.merchantName,
        amount: areq.purchaseAmount,
        currency: areq.purchaseCurrency,
        exponent: Number(areq.purchaseExponent),
        notificationUrl: areq.notificationURL,
        directoryUrl: areq.dsURL,
        sessionData: null,
        state: "created",
        wrongCodes: 0,
        verdict: null,
        dueAt: fromNow(timing.creqWithinMs),
      }),
    );
    return {
      ...ares,
      acsURL: `${acsOrigin(deps.publicUrl())}${simulatorPaths.challenge}`,
      acsChallengeMandated: "Y",
      authenticationType: "02",
    };
  }

  async function decide(challenge: Challenge, verdict: Verdict): Promise<Challenge | null> {
    const sendsResult = challenge.behavior !== "rreq_never_comes";
    const id = challenge.acsTransactionId;
    // The result is sent immediately below. If this process crashes first, the result is sent again on the due date.
    const notifyAt = sendsResult ? fromNow(timing.notifyAgainMs) : null;
    await database.autocommit((tx) => decideChallenge(tx, id, verdict, notifyAt));
    // Read the stored verdict, because another tab may have decided first.
    const decided = await readChallenge(database.read, id);
    if (decided?.dueAt) await sendResult(decided);
    return decided;
  }

  /** Sends the RReq to the directory server and reads the RRes. EMV 3DS requires this before the CRes. */
  async function sendResult(challenge: Challenge): Promise<void> {
    const { verdict, acsTransactionId, dsTransactionId } = challenge;
    if (!verdict) return;
    const { transStatus, challengeCancel } = verdict;
    const eci = eciOf(challenge.brand, transStatus);
    const rreq: RReq = {
      messageType: "RReq",
      messageVersion: protocolVersion,
      // The authentication of a card that is saved has no amount.
      messageCategory: challenge.amount === "0" ? "02" : "01",
      threeDSServerTransID: challenge.threeDSServerTransactionId,
      dsTransID: dsTransactionId,
      acsTransID: acsTransactionId,
      transStatus,
      ...(eci !== null && { eci }),
      ...(transStatus === "Y"
        ? { authenticationValue: cryptogramOf(dsTransactionId), authenticationType: "02" }
        : { transStatusReason: challengeCancel ? "14" : "01" }),
      ...(challengeCancel && { challengeCancel }),
      interactionCounter: String(challenge.wrongCodes + 1).padStart(2, "0"),
    };
    const url = onThisListener(challenge.directoryUrl, serverUrl());
    const response = await sendToDirectory(url, writeMessage(rreq), directoryTimeoutMs);
    const read = response?.ok ? readMessage("RRes", response.text) : null;
    // Only an RRes or a final Erro counts as delivered. Otherwise the result is sent again.
    if (read?.kind !== "message" && !isUnknownTransaction(read)) return;
    await database.autocommit((tx) => markResultSent(tx, acsTransactionId));
  }

  return {
    async receiveAReq(body) {
      const read = readMessage("AReq", body);
      if (read.kind === "erro") return "";
      if (read.kind === "violation") return erroResponse(read.violation);
      const { message: areq } = read;
      if (!isForwarded(areq)) return erroResponse(notForwarded);
      const rejected = acsViolation(deps, areq);
      return rejected ? erroResponse(rejected) : writeMessage<"ARes">(await respondToAReq(areq));
    },

    async receiveCReq(acsTransactionId, sessionData) {
      const dueAt = fromNow(timing.stepWithinMs);
      const known = await readChallenge(database.read, acsTransactionId);
      if (!known || known.behavior === "creq_never_arrives") return known;
      await database.autocommit((tx) => recordCReq(tx, acsTransactionId, sessionData, dueAt));
      return readChallenge(database.read, acsTransactionId);
    },

    async receiveInput(acsTransactionId, input) {
      const challenge = await readChallenge(database.read, acsTransactionId);
      if (challenge?.state !== "displayed") return challenge;
      const verdict = evaluateInput(challenge, input);
      if (verdict !== "again") return decide(challenge, verdict);
      await database.autocommit((tx) =>
        countWrongCode(tx, challenge, fromNow(timing.stepWithinMs)),
      );
      return readChallenge(database.read, acsTransactionId);
    },

    startChallengeExpiry: (background) =>
      startLoop({
        name: "simulated ACS: challenge expiry",
        everyMs: 1_000,
        background,
        async work() {
          const lease = { now: clock.now(), until: fromNow(timing.notifyAgainMs) };
          const due = await database.autocommit((tx) => claimDueChallenges(tx, lease));
          for (const challenge of due) {
            if (challenge.state === "completed") await sendResult(challenge);
            else await decide(challenge, verdictAfterTimeout(challenge));
          }
          return false;
        },
      }),
  };
}

function erroResponse(violation: Violation): string {
  return writeMessage<"Erro">(erroFor(violation, { component: "A", about: "AReq" }));
}

function frictionless(
  brand: Challenge["brand"],
  transStatus: TransStatus,
  dsTransID: string,
): Partial<ARes> {
  const eci = eciOf(brand, transStatus);
  return {
    ...(eci !== null && { eci }),
    ...((transStatus === "Y" || transStatus === "A") && {
      authenticationValue: cryptogramOf(dsTransID),
    }),
    ...(reasons[transStatus] && { transStatusReason: reasons[transStatus] }),
    ...(transStatus === "R" && {
      cardholderInfo:
        "Please call the number on the back of your card before you use it online again.",
    }),
  };
}

/** The reason codes: 01 card authentication failed, 11 suspected fraud, 21 the issuer could not authenticate. */
const reasons: Partial<Readonly<Record<TransStatus, string>>> = { N: "01", R: "11", U: "21" };

/** Returns whether the recipient does not know the transaction, so that a retry would also fail. */
function isUnknownTransaction(read: ReturnType<typeof readMessage> | null): boolean {
  return read?.kind === "erro" && read.erro.errorCode === "301";
}
