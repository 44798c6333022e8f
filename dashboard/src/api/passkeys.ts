import { ApiProblem } from "./problem.ts";

/**
 * The browser's half of a passkey. What goes in and out is JSON as the browsers themselves write it, so nothing is
 * packed or unpacked here.
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

/** Browsers say on purpose little: nobody is to learn which passkeys somebody has. */
function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "InvalidStateError") {
    return "This device has a passkey for you already.";
  }
  if (error instanceof DOMException && error.name === "NotAllowedError") {
    return "It was cancelled, or took too long. Try again.";
  }
  return "The browser could not use a passkey here.";
}

/** Why passkeys cannot be used here; null where they can. */
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
