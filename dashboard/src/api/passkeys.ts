import { ApiProblem } from "./problem.ts";

/**
 * Verifies the person with a passkey in the browser. Options and response are in the browser's own JSON format, so
 * nothing is converted here.
 */
export async function answerWithPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  return jsonOf(() => navigator.credentials.get({ publicKey }));
}

export async function makePasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  return jsonOf(() => navigator.credentials.create({ publicKey }));
}

async function jsonOf(ask: () => Promise<Credential | null>): Promise<unknown> {
  const credential = await ask().catch((error: unknown) => {
    throw new ApiProblem(0, null, reasonOf(error));
  });
  if (credential instanceof PublicKeyCredential) return credential.toJSON();
  throw new ApiProblem(0, null, "The browser gave no passkey.");
}

/** Browsers give few details on purpose, so that no website learns which passkeys exist. */
function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "InvalidStateError") {
    return "This device has a passkey for you already.";
  }
  if (error instanceof DOMException && error.name === "NotAllowedError") {
    return "It was cancelled, or took too long. Try again.";
  }
  return "The browser could not use a passkey here.";
}

/** Returns why passkeys cannot be used in this browser or at this URL, or null. */
export function noPasskeysHere(): string | null {
  if (!("PublicKeyCredential" in globalThis) || !PublicKeyCredential.parseRequestOptionsFromJSON) {
    return "This browser knows no passkeys, or is too old for them.";
  }
  if (/^[\d.]+$|^\[/.test(location.hostname)) {
    const named = new URL("/dashboard", location.href);
    named.hostname = "localhost";
    return `A passkey belongs to a name, and this address is a number. Open ${named.href} instead.`;
  }
  return null;
}
