import { randomUUID } from "node:crypto";
import { findTestCard, type TestCard, testCards } from "@florin/contract/test-cards.ts";
import type {
  AReq,
  CardRange,
  MessageType,
} from "@florin/server/acquiring/three-d-secure/message.ts";
import { protocolVersion } from "@florin/server/acquiring/three-d-secure/message.ts";
import {
  erroFor,
  readMessage,
  unknownTransaction,
  type Violation,
  writeMessage,
} from "@florin/server/acquiring/three-d-secure/read-message.ts";
import { createExchange } from "@florin/server/acquiring/three-d-secure/send-message.ts";
import { threeDSecureOf } from "../three-d-secure-of.ts";
import { insertDirectoryTransaction, readThreeDSServerUrl } from "./challenge.sql.ts";
import {
  acsOrigin,
  onThisListener,
  simulatorPaths,
  type ThreeDSecureSimulatorDeps,
} from "./simulator-deps.ts";
import { directoryViolation } from "./validate-areq.ts";

/** The response of the directory server. Null means that it never responds. */
export type DirectoryResponse = string | null;

/** The simulated directory server. Returns card ranges, and forwards messages between 3DS Server and ACS. */
export type DirectoryServer = { receive(body: string): Promise<DirectoryResponse> };

const reference = "3DS_LOA_DIS_FLRN_020200_00001";

/** The ACS timeout, shorter than the timeout of the service's request to the directory server. */
const acsTimeoutMs = 9_000;
const threeDSServerTimeoutMs = 5_000;

export function createDirectoryServer(deps: ThreeDSecureSimulatorDeps): DirectoryServer {
  const { database, serverUrl, publicUrl, isCallbackUrl } = deps;
  const sendToAcs = createExchange();
  const sendToThreeDSServer = createExchange();

  async function forwardAReq(areq: AReq): Promise<DirectoryResponse> {
    const card = findTestCard(areq.acctNumber);
    if (card && behaviorOf(card, areq)?.areqOutcome === "times_out") return null;
    const rejected = directoryViolation(deps, areq);
    if (rejected) return reject(rejected, areq);

    const dsTransID = randomUUID();
    const ids = {
      dsTransactionId: dsTransID,
      threeDSServerTransactionId: areq.threeDSServerTransID,
    };
    await database.autocommit((tx) => insertDirectoryTransaction(tx, ids, areq.threeDSServerURL));
    const forAcs: AReq = {
      ...areq,
      dsTransID,
      dsReferenceNumber: reference,
      dsURL: `${serverUrl()}${simulatorPaths.directory}`,
    };
    const response = await sendToAcs(
      `${serverUrl()}${simulatorPaths.acs}`,
      writeMessage<"AReq">(forAcs),
      acsTimeoutMs,
    );
    const read = response?.ok ? readMessage("ARes", response.text) : null;
    if (read?.kind === "message") return writeMessage(read.message);
    if (read?.kind === "erro") return writeMessage(read.erro);
    return reject(systemFailure, areq);
  }

  async function forwardRReq(body: string): Promise<DirectoryResponse> {
    const read = readMessage("RReq", body);
    if (read.kind === "erro") return "";
    if (read.kind === "violation") return reject(read.violation, null, "RReq");
    const { message: rreq } = read;
    const stored = await readThreeDSServerUrl(database.read, rreq);
    const url = stored && onThisListener(stored, serverUrl());
    if (!url || !isCallbackUrl("results", url, rreq.threeDSServerTransID)) {
      return reject(unknownTransaction, null, "RReq");
    }
    const response = await sendToThreeDSServer(url, writeMessage(rreq), threeDSServerTimeoutMs);
    return response?.ok ? response.text : reject(systemFailure, null, "RReq");
  }

  return {
    async receive(body) {
      switch (typeOf(body)) {
        case "PReq": {
          const read = readMessage("PReq", body);
          if (read.kind !== "message")
            return read.kind === "erro" ? "" : reject(read.violation, null);
          return writeMessage({
            messageType: "PRes",
            messageVersion: protocolVersion,
            threeDSServerTransID: read.message.threeDSServerTransID,
            dsTransID: randomUUID(),
            serialNum: "1",
            cardRangeData: cardRanges(acsOrigin(publicUrl())),
          });
        }
        case "AReq": {
          const read = readMessage("AReq", body);
          if (read.kind !== "message")
            return read.kind === "erro" ? "" : reject(read.violation, null);
          return forwardAReq(read.message);
        }
        case "RReq":
          return forwardRReq(body);
        default:
          // An Erro has no response.
          return "";
      }
    },
  };
}

/** Returns a card range for each test card except those whose lookup fails. */
function cardRanges(acs: string): CardRange[] {
  return testCards
    .filter(({ threeDSecure }) => threeDSecure?.areqOutcome !== "look_up_fails")
    .map(({ number, threeDSecure }) => ({
      startRange: number,
      endRange: number,
      acsStartProtocolVersion: protocolVersion,
      acsEndProtocolVersion: protocolVersion,
      ...methodOf(threeDSecure?.method, acs),
    }));
}

function methodOf(method: "none" | "responds" | "times_out" | undefined, acs: string) {
  if (method === "responds") return { threeDSMethodURL: `${acs}${simulatorPaths.method}` };
  if (method === "times_out") return { threeDSMethodURL: `${acs}${simulatorPaths.silentMethod}` };
  return {};
}

/** Returns the issuer's behavior for this payment, by its card or its amount. */
export function behaviorOf(card: TestCard, areq: AReq) {
  return threeDSecureOf(card, Number(areq.purchaseAmount));
}

function typeOf(body: string): string | null {
  try {
    return String((JSON.parse(body) as { messageType?: unknown } | null)?.messageType ?? "");
  } catch {
    return null;
  }
}

const systemFailure: Violation = {
  errorCode: "405",
  errorDescription: "System Connection Failure",
  errorDetail: "The server is unreachable, or its response is invalid",
};

function reject(violation: Violation, areq: AReq | null, about: MessageType = "AReq"): string {
  const ids = areq && { threeDSServerTransID: areq.threeDSServerTransID };
  return writeMessage<"Erro">(erroFor(violation, { component: "D", about, ...(ids && { ids }) }));
}
