import { randomUUID } from "node:crypto";
import { currencyNumber } from "@florin/contract/currency.ts";
import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import type { Clock } from "../../core/clock.ts";
import { singleFlight } from "../../core/single-flight.ts";
import type { CardCredentials } from "../../vault/card-number.ts";
import { countryNumber } from "./country-numbers.ts";
import {
  type AReq,
  type ARes,
  type CardRange,
  type Erro,
  type Message,
  type MessageType,
  protocolVersion,
} from "./message.ts";
import { erroFor, type ReadMessage, readMessage, writeMessage } from "./read-message.ts";
import { createExchange } from "./send-message.ts";
import type {
  AuthenticateRequest,
  AuthenticateResponse,
  LookUp,
  ThreeDSServer,
} from "./three-d-secure-server.ts";

export type EmvServerOptions = {
  readonly clock: Clock;
  /** The directory server's URL for messages. */
  readonly directoryUrl: () => string;
  /** Our URL for browsers, sent as `threeDSRequestorURL`. */
  readonly requestorUrl: () => string;
  readonly timing?: EmvServerTiming;
};

export type EmvServerTiming = {
  /**
   * The time to wait for the response to a message. The networks give the directory server and the ACS ten seconds to
   * send the ARes.
   */
  readonly responseTimeoutMs: number;
};

export const defaultEmvTiming: EmvServerTiming = { responseTimeoutMs: 10_000 };

/** The lifetime of cached card ranges. EMV 3DS requires an update at least once a day. */
const rangesLiveMs = 60 * 60 * 1000;

/** Our registration data with the networks. */
const registration = {
  threeDSRequestorID: "florin",
  threeDSRequestorName: "Florin",
  threeDSServerRefNumber: "3DS_LOA_SER_FLRN_020200_00001",
  acquirerBIN: "999999",
  /** The merchant category code for miscellaneous retail, used for every merchant. */
  mcc: "5999",
} as const;

/** Creates a 3DS server for EMV 3-D Secure 2.2.0 that sends its messages to one directory server over HTTP. */
export function createEmvServer(options: EmvServerOptions): ThreeDSServer {
  const { clock, directoryUrl, requestorUrl, timing = defaultEmvTiming } = options;
  const sendToDirectory = createExchange();
  let ranges: { readonly list: readonly CardRange[]; readonly until: number } | null = null;

  async function cardRanges(): Promise<readonly CardRange[] | null> {
    if (ranges && ranges.until > clock.now().getTime()) return ranges.list;
    return requestRanges();
  }

  /** Concurrent payments share one PReq, so that PReqs do not use up the capacity for AReqs. */
  const requestRanges = singleFlight(async (): Promise<readonly CardRange[] | null> => {
    const now = clock.now().getTime();
    const threeDSServerTransID = randomUUID();
    const response = await exchange(
      { messageType: "PReq", messageVersion: protocolVersion, threeDSServerTransID },
      "PRes",
    );
    // Returns a stale list if there is one, because card ranges rarely change.
    if (response?.kind !== "message") return ranges?.list ?? null;
    ranges = { list: response.message.cardRangeData, until: now + rangesLiveMs };
    return ranges.list;
  });

  async function lookUp(card: CardCredentials): Promise<LookUp> {
    const list = await cardRanges();
    const digits = card.number.reveal();
    const range = list?.find(
      ({ startRange, endRange }) =>
        startRange.length === digits.length && startRange <= digits && digits <= endRange,
    );
    if (!range) return { kind: "unavailable" };
    const version = range.acsEndProtocolVersion;
    return { kind: "enrolled", version, methodUrl: range.threeDSMethodURL ?? null };
  }

  async function authenticate(request: AuthenticateRequest): Promise<AuthenticateResponse> {
    const response = await exchange(areqOf(request, requestorUrl()), "ARes");
    if (response === null) return { kind: "unavailable", why: "timeout" };
    if (response.kind === "erro") return { kind: "unavailable", why: "rejected" };
    if (response.kind === "violation") return { kind: "unavailable", why: "invalid_response" };
    const wrong = invalidElement(response.message, request);
    if (wrong === null) return { kind: "responded", ares: response.message };
    void sendErro(response.message, wrong);
    return { kind: "unavailable", why: "invalid_response" };
  }

  /**
   * Sends an Erro message that reports an invalid ARes to the directory server, as EMV 3DS requires. Expects no
   * response.
   */
  async function sendErro(ares: ARes, errorDetail: string): Promise<void> {
    const { threeDSServerTransID, dsTransID, acsTransID } = ares;
    const erro: Erro = erroFor(
      { errorCode: "201", errorDescription: "Required Element Missing", errorDetail },
      { component: "S", about: "ARes", ids: { threeDSServerTransID, dsTransID, acsTransID } },
    );
    await post(writeMessage<"Erro">(erro));
  }

  /** Sends a message and returns the response. Returns null if no response arrived in time. */
  async function exchange<Sent extends "PReq" | "AReq", Expected extends MessageType>(
    message: Message<Sent>,
    expected: Expected,
  ): Promise<ReadMessage<Expected> | null> {
    const text = await post(writeMessage(message));
    return text === null ? null : readMessage(expected, text);
  }

  async function post(body: string): Promise<string | null> {
    // Reads responses with an error status as well, because they can contain an Erro message.
    const response = await sendToDirectory(directoryUrl(), body, timing.responseTimeoutMs);
    return response?.text ?? null;
  }

  return { lookUp, authenticate };
}

/**
 * Returns the name of an invalid element that the schema cannot detect: a wrong transaction ID, or the lack of an
 * element that the transStatus requires. Returns null if all are valid.
 */
function invalidElement(ares: ARes, { transactionId }: AuthenticateRequest): string | null {
  // Some servers write UUIDs in upper case.
  if (ares.threeDSServerTransID.toLowerCase() !== transactionId) return "threeDSServerTransID";
  const { transStatus } = ares;
  if (transStatus === "C" && !ares.acsURL) return "acsURL";
  if ((transStatus === "Y" || transStatus === "A") && !ares.authenticationValue) {
    return "authenticationValue";
  }
  return null;
}

function areqOf(request: AuthenticateRequest, requestorUrl: string): AReq {
  const { card, price, merchant } = request;
  const isPayment = request.purpose === "payment";
  return {
    messageType: "AReq",
    messageVersion: request.version,
    // 02: non-payment authentication (EMV 3DS, Message Category).
    messageCategory: isPayment ? "01" : "02",
    deviceChannel: "02",
    threeDSServerTransID: request.transactionId,
    threeDSCompInd: request.methodCompletion,
    // 04: add card.
    threeDSRequestorAuthenticationInd: isPayment ? "01" : "04",
    threeDSRequestorChallengeInd: challengeIndicator(request),
    threeDSRequestorID: registration.threeDSRequestorID,
    threeDSRequestorName: registration.threeDSRequestorName,
    threeDSRequestorURL: requestorUrl,
    threeDSServerRefNumber: registration.threeDSServerRefNumber,
    threeDSServerURL: request.resultsUrl,
    notificationURL: request.notificationUrl,
    acctNumber: card.number.reveal(),
    cardExpiryDate: `${twoDigits(card.expYear % 100)}${twoDigits(card.expMonth)}`,
    acquirerBIN: registration.acquirerBIN,
    acquirerMerchantID: merchant.id,
    mcc: registration.mcc,
    // Truncated between code points, because half a surrogate pair cannot be sent.
    merchantName: Array.from(merchant.name).slice(0, 40).join(""),
    merchantCountryCode: countryNumber(merchant.country) ?? "840",
    purchaseAmount: String(price.amountMinor),
    purchaseCurrency: currencyNumber(price.currency),
    purchaseExponent: String(minorUnitDigits(price.currency)),
    purchaseDate: dateOf(request.purchasedAt),
    ...request.browser,
  };
}

/**
 * Returns the requested challenge: 01 without a preference, 03 if the merchant requires 3-D Secure, and 04 if the
 * cardholder agrees to later payments in their absence, for which the European Union requires a challenge (Regulation
 * (EU) 2018/389, article 97(1) of Directive (EU) 2015/2366).
 */
function challengeIndicator({ purpose, demanded }: AuthenticateRequest): "01" | "03" | "04" {
  if (purpose === "add_card") return "04";
  return demanded ? "03" : "01";
}

/** Returns the time as YYYYMMDDHHMMSS in UTC. */
function dateOf(time: Date): string {
  return time.toISOString().replace(/\D/g, "").slice(0, 14);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
