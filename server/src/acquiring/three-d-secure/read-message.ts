import { Compile } from "typebox/schema";
import { parseJsonObject } from "../json-object.ts";
import {
  type Component,
  type Erro,
  type Message,
  type MessageType,
  MethodData,
  protocolVersion,
  schemas,
} from "./message.ts";

/** The result of reading a message: the expected message, an Erro message from the sender, or a protocol violation. */
export type ReadMessage<Name extends MessageType> =
  | { readonly kind: "message"; readonly message: Message<Name> }
  | { readonly kind: "erro"; readonly erro: Erro }
  | { readonly kind: "violation"; readonly violation: Violation };

/** A protocol violation, reported in an Erro message. `errorDetail` names elements and never contains a value. */
export type Violation = {
  readonly errorCode: "101" | "102" | "201" | "203" | "301" | "303" | "405";
  readonly errorDescription: string;
  readonly errorDetail: string;
};

const compiled = new Map(
  Object.entries(schemas).map(([name, schema]) => [name, Compile(schema)] as const),
);

/** Parses a message of the expected type from JSON. The 3DS server and the simulator use this function. */
export function readMessage<Name extends MessageType>(
  awaited: Name,
  json: string,
): ReadMessage<Name> {
  const value = parseJsonObject(json);
  const type = value?.messageType;
  if (!value || typeof type !== "string" || !Object.hasOwn(schemas, type))
    return wrongType(awaited);
  if (type === "Erro" && awaited !== "Erro") {
    const violation = violationOf("Erro", value);
    return violation ? violated(violation) : { kind: "erro", erro: value as unknown as Erro };
  }
  if (type !== awaited) return wrongType(awaited);
  if (typeof value.messageVersion === "string" && !/^2\.[12]\.0$/.test(value.messageVersion)) {
    return violated({
      errorCode: "102",
      errorDescription: "Message Version Number Not Supported",
      errorDetail: "2.1.0,2.2.0",
    });
  }
  const violation = violationOf(awaited, value);
  return violation
    ? violated(violation)
    : { kind: "message", message: value as unknown as Message<Name> };
}

/** Parses the JSON of `threeDSMethodData`. Returns null if the JSON is invalid. */
export function readMethodData(json: string): MethodData | null {
  const value = parseJsonObject(json);
  return methodData.Check(value) ? value : null;
}

const methodData = Compile(MethodData);

/** Serializes a message. Throws if it violates the schema, because an invalid message is a bug. */
export function writeMessage<Name extends MessageType>(message: Message<Name>): string {
  const name = (message as { messageType: MessageType }).messageType;
  const violation = violationOf(name, message);
  if (violation) {
    throw new TypeError(`${name}: ${violation.errorDescription}: ${violation.errorDetail}`);
  }
  return JSON.stringify(message);
}

type Ids = Pick<Erro, "threeDSServerTransID" | "dsTransID" | "acsTransID">;

/** Returns the Erro message that reports a violation. */
export function erroFor(
  violation: Violation,
  details: { component: Component; about: MessageType; ids?: Ids },
): Erro {
  return {
    messageType: "Erro",
    messageVersion: protocolVersion,
    ...details.ids,
    errorComponent: details.component,
    ...violation,
    ...(details.about !== "Erro" && { errorMessageType: details.about }),
  };
}

export const unknownTransaction: Violation = {
  errorCode: "301",
  errorDescription: "Transaction ID Not Recognised",
  errorDetail: "threeDSServerTransID,dsTransID,acsTransID",
};

function violationOf(name: MessageType, value: unknown): Violation | null {
  const check = compiled.get(name);
  if (!check || check.Check(value)) return null;
  const [, errors] = check.Errors(value);
  const missing = errors.flatMap((error) =>
    error.keyword === "required"
      ? error.params.requiredProperties.map((property) => `${error.instancePath}/${property}`)
      : [],
  );
  if (missing.length > 0) {
    return {
      errorCode: "201",
      errorDescription: "Required Element Missing",
      errorDetail: elementNames(missing),
    };
  }
  return {
    errorCode: "203",
    errorDescription: "Format of one or more elements is invalid",
    errorDetail: elementNames(errors.map(({ instancePath }) => instancePath)),
  };
}

function elementNames(paths: readonly string[]): string {
  return [...new Set(paths.map((path) => path.slice(1).replaceAll("/", ".") || "message"))].join();
}

function wrongType(awaited: MessageType) {
  return violated({
    errorCode: "101",
    errorDescription: "Message Received Invalid",
    errorDetail: `Awaited ${awaited}`,
  });
}

function violated(violation: Violation): { kind: "violation"; violation: Violation } {
  return { kind: "violation", violation };
}
