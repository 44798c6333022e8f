import { parentPort } from "node:worker_threads";
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";

/** Runs in a worker thread and calls the WebAuthn library. See `webauthn.ts`. */
const library = {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
};

export type WebauthnLibrary = typeof library;

export type WebauthnCall = {
  readonly id: number;
  readonly name: keyof WebauthnLibrary;
  readonly options: unknown;
};

export type WebauthnResponse = {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
};

parentPort?.on("message", async ({ id, name, options }: WebauthnCall) => {
  const respond = (rest: Omit<WebauthnResponse, "id">) => parentPort?.postMessage({ id, ...rest });
  try {
    respond({ result: await library[name](options as never) });
  } catch (error) {
    respond({ error: error instanceof Error ? error.message : String(error) });
  }
});
