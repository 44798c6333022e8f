import { unwritable } from "@florin/contract/text.ts";
import Type, { type Static } from "typebox";

/**
 * The messages of EMV 3-D Secure 2.2.0 for the browser channel, between 3DS server, directory server, ACS and the
 * cardholder's browser. Elements are optional where EMV 3DS allows it. Unknown elements are ignored, as EMV 3DS
 * requires.
 */
export const protocolVersion = "2.2.0";

/** Text without NUL and lone surrogates, which PostgreSQL cannot store. */
const text = (maxLength: number, minLength = 1) =>
  Type.String({ minLength, maxLength, pattern: `^[^${unwritable}]*$` });
const digits = (min: number, max = min) => Type.String({ pattern: `^[0-9]{${min},${max}}$` });
const oneOf = <const Word extends string>(...words: readonly Word[]) => Type.Enum([...words]);
const uuid = () => Type.String({ pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$" });
/** A URL. EMV 3DS limits callback URLs to 256 characters and other URLs to 2048. */
const address = (maxLength: number) =>
  Type.String({ maxLength, pattern: `^https?://[^\\s${unwritable}]+$` });
/** 20 bytes in base64. */
const authenticationValue = () => Type.String({ pattern: "^[A-Za-z0-9+/]{27}=$" });
const eci = () => digits(2);
const reason = () => digits(2);
const version = () => Type.String({ pattern: "^2\\.[12]\\.0$" });
const optional = Type.Optional;

const transactionIds = {
  threeDSServerTransID: uuid(),
  dsTransID: uuid(),
  acsTransID: uuid(),
} as const;

/** Requests the card ranges that support 3-D Secure, with their versions and method URLs. */
export const PReq = Type.Object({
  messageType: Type.Literal("PReq"),
  messageVersion: version(),
  threeDSServerTransID: uuid(),
  serialNum: optional(text(20)),
});
export type PReq = Static<typeof PReq>;

export const CardRange = Type.Object({
  startRange: digits(13, 19),
  endRange: digits(13, 19),
  acsStartProtocolVersion: version(),
  acsEndProtocolVersion: version(),
  threeDSMethodURL: optional(address(256)),
});
export type CardRange = Static<typeof CardRange>;

export const PRes = Type.Object({
  messageType: Type.Literal("PRes"),
  messageVersion: version(),
  threeDSServerTransID: uuid(),
  dsTransID: uuid(),
  serialNum: text(20),
  cardRangeData: Type.Array(CardRange),
});
export type PRes = Static<typeof PRes>;

/**
 * The browser information (EMV 3DS table A.1): headers and the IP address of the request, and values from JavaScript.
 */
export const BrowserInformation = Type.Object({
  browserAcceptHeader: text(2048),
  browserUserAgent: text(2048),
  browserIP: optional(text(45)),
  browserLanguage: text(8),
  browserJavascriptEnabled: Type.Boolean(),
  browserJavaEnabled: optional(Type.Boolean()),
  browserColorDepth: optional(oneOf("1", "4", "8", "15", "16", "24", "32", "48")),
  browserScreenHeight: optional(digits(1, 6)),
  browserScreenWidth: optional(digits(1, 6)),
  /** The difference between UTC and local time in minutes, as JavaScript's `getTimezoneOffset` returns it. */
  browserTZ: optional(Type.String({ pattern: "^-?[0-9]{1,4}$" })),
});
export type BrowserInformation = Static<typeof BrowserInformation>;

export const AReq = Type.Object({
  messageType: Type.Literal("AReq"),
  messageVersion: version(),
  messageCategory: oneOf("01", "02"),
  deviceChannel: Type.Literal("02"),
  threeDSServerTransID: uuid(),
  threeDSCompInd: oneOf("Y", "N", "U"),
  threeDSRequestorAuthenticationInd: oneOf("01", "04"),
  threeDSRequestorChallengeInd: optional(oneOf("01", "02", "03", "04")),
  threeDSRequestorID: text(35),
  threeDSRequestorName: text(40),
  threeDSRequestorURL: address(2048),
  threeDSServerRefNumber: text(32),
  /** The URL to which the directory server sends the result of a challenge. */
  threeDSServerURL: address(2048),
  notificationURL: address(256),
  acctNumber: digits(13, 19),
  cardExpiryDate: optional(digits(4)),
  cardholderName: optional(text(45, 2)),
  email: optional(text(254)),
  acquirerBIN: digits(1, 11),
  acquirerMerchantID: text(35),
  mcc: digits(4),
  merchantName: text(40),
  merchantCountryCode: digits(3),
  purchaseAmount: digits(1, 48),
  purchaseCurrency: digits(3),
  purchaseExponent: digits(1),
  purchaseDate: digits(14),
  ...BrowserInformation.properties,
  // The directory server adds these elements before it forwards the message.
  dsTransID: optional(uuid()),
  dsReferenceNumber: optional(text(32)),
  dsURL: optional(address(2048)),
});
export type AReq = Static<typeof AReq>;

export const ARes = Type.Object({
  messageType: Type.Literal("ARes"),
  messageVersion: version(),
  ...transactionIds,
  transStatus: oneOf("Y", "N", "U", "A", "C", "R", "I"),
  transStatusReason: optional(reason()),
  acsReferenceNumber: text(32),
  dsReferenceNumber: text(32),
  acsOperatorID: optional(text(32)),
  authenticationValue: optional(authenticationValue()),
  eci: optional(eci()),
  acsURL: optional(address(2048)),
  acsChallengeMandated: optional(oneOf("Y", "N")),
  authenticationType: optional(oneOf("01", "02", "03")),
  /** The issuer's text for the cardholder, which must be shown. */
  cardholderInfo: optional(text(128)),
});
export type ARes = Static<typeof ARes>;

/**
 * The sizes of the challenge window, in pixels. 01: 250×400. 02: 390×400. 03: 500×600. 04: 600×400. 05: full screen.
 */
const challengeWindowSizes = ["01", "02", "03", "04", "05"] as const;
export type ChallengeWindowSize = (typeof challengeWindowSizes)[number];

export const CReq = Type.Object({
  messageType: Type.Literal("CReq"),
  messageVersion: version(),
  threeDSServerTransID: uuid(),
  acsTransID: uuid(),
  challengeWindowSize: oneOf(...challengeWindowSizes),
});
export type CReq = Static<typeof CReq>;

export const CRes = Type.Object({
  messageType: Type.Literal("CRes"),
  messageVersion: version(),
  threeDSServerTransID: uuid(),
  acsTransID: uuid(),
  transStatus: oneOf("Y", "N"),
});
export type CRes = Static<typeof CRes>;

export const RReq = Type.Object({
  messageType: Type.Literal("RReq"),
  messageVersion: version(),
  messageCategory: oneOf("01", "02"),
  ...transactionIds,
  transStatus: oneOf("Y", "N", "U", "A", "R"),
  transStatusReason: optional(reason()),
  authenticationValue: optional(authenticationValue()),
  eci: optional(eci()),
  interactionCounter: optional(digits(2)),
  authenticationType: optional(oneOf("01", "02", "03")),
  /** 01: canceled by the cardholder. 04: timeout at the ACS. 05: no CReq. 06: transaction error. 07: unknown. */
  challengeCancel: optional(oneOf("01", "04", "05", "06", "07")),
});
export type RReq = Static<typeof RReq>;

export const RRes = Type.Object({
  messageType: Type.Literal("RRes"),
  messageVersion: version(),
  ...transactionIds,
  /** 01: received. 02: CReq not sent. 03: challenge data not delivered. */
  resultsStatus: oneOf("01", "02", "03"),
});
export type RRes = Static<typeof RRes>;

/** C: 3DS SDK (not used in browsers), S: 3DS server, D: directory server, A: ACS. */
export type Component = "C" | "S" | "D" | "A";

export const Erro = Type.Object({
  messageType: Type.Literal("Erro"),
  messageVersion: version(),
  threeDSServerTransID: optional(uuid()),
  dsTransID: optional(uuid()),
  acsTransID: optional(uuid()),
  errorCode: Type.String({ pattern: "^(10[1-3]|20[1-4]|30[1-7]|40[2-5])$" }),
  errorComponent: oneOf("C", "S", "D", "A"),
  errorDescription: text(2048),
  errorDetail: text(2048),
  errorMessageType: optional(oneOf("AReq", "ARes", "CReq", "CRes", "PReq", "PRes", "RReq", "RRes")),
});
export type Erro = Static<typeof Erro>;

/** The content of `threeDSMethodData`, which is posted in base64url to the method page and back from it. */
export const MethodData = Type.Object({
  threeDSServerTransID: uuid(),
  threeDSMethodNotificationURL: optional(address(256)),
});
export type MethodData = Static<typeof MethodData>;

export const schemas = { PReq, PRes, AReq, ARes, CReq, CRes, RReq, RRes, Erro } as const;
export type MessageType = keyof typeof schemas;
export type Message<Name extends MessageType> = Static<(typeof schemas)[Name]>;

/** The maximum length of `threeDSSessionData`, which the ACS returns with the CRes. */
export const sessionDataLimit = 1024;
