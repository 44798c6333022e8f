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
  giveUp,
  type Verdict,
} from "./challenge.ts";
import { cryptogramOf } from "./cryptogram.ts";
import { behaviourOf } from "./directory-server.ts";
import {
  acsOrigin,
  onThisListener,
  simulatorPaths,
  type ThreeDSecureSimulatorDeps,
} from "./simulator-deps.ts";
import { acsViolation, isPassedOn, notPassedOn, type PassedOnAReq } from "./validate-areq.ts";

/**
 * The simulated issuer's access control server. Challenges are stored in the database, so that they survive a restart.
 */
export type IssuerAcs = {
  receiveAReq(body: string): Promise<string>;
  /** Handles the CReq that the browser posted. Returns null if it belongs to no challenge of this ACS. */
  receiveCReq(acsTransactionId: string, sessionData: string | null): Promise<Challenge | null>;
  /** Handles the cardholder's input. The 3DS server receives a result before this returns. */
  receiveInput(acsTransactionId: string, input: CardholderInput): Promise<Challenge | null>;
  /** Ends challenges without input from the cardholder, and sends undelivered results again. */
  startChallengeExpiry(background: Background): Loop;
};

const reference = "3DS_LOA_ACS_FLRN_020200_00001";
const directoryWithinMs = 8_000;

export function createIssuerAcs(deps: ThreeDSecureSimulatorDeps): IssuerAcs {
  const { database, clock, timing, serverUrl } = deps;
  const sendToDirectory = createExchange();
  const inTime = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds);

  async function respondToAReq(areq: PassedOnAReq): Promise<ARes> {
    const card = findTestCard(areq.acctNumber);
    const behaviour = card && behaviourOf(card, areq);
    // If the issuer does not take part, the network attests an attempt in its place.
    const areqOutcome = behaviour?.areqOutcome ?? "A";
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
    await database.transaction((tx) =>
      insertChallenge(tx, {
        acsTransactionId: ids.acsTransID,
        dsTransactionId: ids.dsTransID,
        threeDSServerTransactionId: ids.threeDSServerTransID,
        behaviour: behaviour?.challenge ?? "person_decides",
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
        dueAt: inTime(timing.creqWithinMs),
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
    const sendsResult = challenge.behaviour !== "rreq_never_comes";
    const id = challenge.acsTransactionId;
    // Sent immediately below. The date covers a crash of this process before that.
    const notifyAt = sendsResult ? inTime(timing.notifyAgainMs) : null;
    await database.transaction((tx) => decideChallenge(tx, id, verdict, notifyAt));
    // Another tab may have been first. Its verdict is kept.
    const decided = await readChallenge(database.read, id);
    if (decided?.dueAt) await sendResult(decided);
    return decided;
  }

  /** Sends the RReq to the directory server and reads the RRes, before the CRes is sent, as EMV 3DS requires. */
  async function sendResult(challenge: Challenge): Promise<void> {
    const { verdict, acsTransactionId, dsTransactionId } = challenge;
    if (!verdict) return;
    const { transStatus, challengeCancel } = verdict;
    const eci = eciOf(challenge.brand, transStatus);
    const rreq: RReq = {
      messageType: "RReq",
      messageVersion: protocolVersion,
      messageCategory: "01",
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
    const response = await sendToDirectory(url, writeMessage(rreq), directoryWithinMs);
    const read = response?.ok ? readMessage("RRes", response.text) : null;
    // Only an RRes or a final Erro counts as delivered. Otherwise the result is sent again.
    if (read?.kind !== "message" && !isFinalComplaint(read)) return;
    await database.transaction((tx) => markResultSent(tx, acsTransactionId));
  }

  return {
    async receiveAReq(body) {
      const read = readMessage("AReq", body);
      if (read.kind === "erro") return "";
      if (read.kind === "violation") return complaintAbout(read.violation);
      const { message: areq } = read;
      if (!isPassedOn(areq)) return complaintAbout(notPassedOn);
      const rejected = acsViolation(deps, areq);
      return rejected ? complaintAbout(rejected) : writeMessage<"ARes">(await respondToAReq(areq));
    },

    async receiveCReq(acsTransactionId, sessionData) {
      const dueAt = inTime(timing.stepWithinMs);
      const known = await readChallenge(database.read, acsTransactionId);
      if (!known || known.behaviour === "creq_never_arrives") return known;
      await database.transaction((tx) => recordCReq(tx, acsTransactionId, sessionData, dueAt));
      return readChallenge(database.read, acsTransactionId);
    },

    async receiveInput(acsTransactionId, input) {
      const challenge = await readChallenge(database.read, acsTransactionId);
      if (challenge?.state !== "displayed") return challenge;
      const verdict = evaluateInput(challenge, input);
      if (verdict !== "again") return decide(challenge, verdict);
      await database.transaction((tx) =>
        countWrongCode(tx, challenge, inTime(timing.stepWithinMs)),
      );
      return readChallenge(database.read, acsTransactionId);
    },

    startChallengeExpiry: (background) =>
      startLoop({
        name: "simulated ACS: challenge expiry",
        everyMs: 1_000,
        background,
        async work() {
          const lease = { now: clock.now(), until: inTime(timing.notifyAgainMs) };
          const due = await database.transaction((tx) => claimDueChallenges(tx, lease));
          for (const challenge of due) {
            if (challenge.state === "completed") await sendResult(challenge);
            else await decide(challenge, giveUp(challenge));
          }
          return false;
        },
      }),
  };
}

function complaintAbout(violation: Violation): string {
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

/** 01 card authentication failed, 11 suspected fraud, 21 the issuer could not authenticate. */
const reasons: Partial<Readonly<Record<TransStatus, string>>> = { N: "01", R: "11", U: "21" };

/** Returns whether the transaction is unknown to the recipient, which a retry would not change. */
function isFinalComplaint(read: ReturnType<typeof readMessage> | null): boolean {
  return read?.kind === "erro" && read.erro.errorCode === "301";
}
