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

/** The response of the directory server. Null leaves the connection without a response. */
export type DirectoryResponse = string | null;

/** The simulated directory server: returns card ranges and forwards messages between 3DS server and ACS. */
export type DirectoryServer = { receive(body: string): Promise<DirectoryResponse> };

const reference = "3DS_LOA_DIS_FLRN_020200_00001";

/** Shorter than the timeout of our 3DS server for the whole exchange. */
const bankWithinMs = 9_000;
const serverWithinMs = 5_000;

export function createDirectoryServer(deps: ThreeDSecureSimulatorDeps): DirectoryServer {
  const { database, serverUrl, publicUrl, isCallbackUrl } = deps;
  const sendToBank = createExchange();
  const sendToServer = createExchange();

  async function passOn(areq: AReq): Promise<DirectoryResponse> {
    const card = findTestCard(areq.acctNumber);
    if (card && behaviourOf(card, areq)?.areqOutcome === "times_out") return null;
    const rejected = directoryViolation(deps, areq);
    if (rejected) return reject(rejected, areq);

    const dsTransID = randomUUID();
    const ids = {
      dsTransactionId: dsTransID,
      threeDSServerTransactionId: areq.threeDSServerTransID,
    };
    await database.transaction((tx) => insertDirectoryTransaction(tx, ids, areq.threeDSServerURL));
    const forBank: AReq = {
      ...areq,
      dsTransID,
      dsReferenceNumber: reference,
      dsURL: `${serverUrl()}${simulatorPaths.directory}`,
    };
    const response = await sendToBank(
      `${serverUrl()}${simulatorPaths.acs}`,
      writeMessage<"AReq">(forBank),
      bankWithinMs,
    );
    const read = response?.ok ? readMessage("ARes", response.text) : null;
    if (read?.kind === "message") return writeMessage(read.message);
    if (read?.kind === "erro") return writeMessage(read.erro);
    return reject(systemFailure, areq);
  }

  async function passBack(body: string): Promise<DirectoryResponse> {
    const read = readMessage("RReq", body);
    if (read.kind === "erro") return "";
    if (read.kind === "violation") return reject(read.violation, null, "RReq");
    const { message: rreq } = read;
    const stored = await readThreeDSServerUrl(database.read, rreq);
    const url = stored && onThisListener(stored, serverUrl());
    if (!url || !isCallbackUrl("results", url, rreq.threeDSServerTransID)) {
      return reject(unknownTransaction, null, "RReq");
    }
    const response = await sendToServer(url, writeMessage(rreq), serverWithinMs);
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
          return passOn(read.message);
        }
        case "RReq":
          return passBack(body);
        default:
          // An Erro is for people to read and has no response.
          return "";
      }
    },
  };
}

/** Returns a range for each test card except the one whose lookup fails. */
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
export function behaviourOf(card: TestCard, areq: AReq) {
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
