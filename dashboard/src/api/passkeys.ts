import { ApiProblem } from "./problem.ts";

/**
 * Verifies the person with a passkey. Options and response use the JSON format of WebAuthn, which the browser parses
 * and serializes.
 */
export async function getPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  return jsonOf(() => navigator.credentials.get({ publicKey }));
}

export async function createPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  return jsonOf(() => navigator.credentials.create({ publicKey }));
}

async function jsonOf(request: () => Promise<Credential | null>): Promise<unknown> {
  const credential = await request().catch((error: unknown) => {
    throw new ApiProblem(0, null, reasonOf(error));
  });
  if (credential instanceof PublicKeyCredential) return credential.toJSON();
  throw new ApiProblem(0, null, "The browser did not return a passkey. Try again.");
}

/**
 * Returns a message for a WebAuthn error. Browsers give few details, so that a website cannot learn which passkeys
 * exist.
 */
function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "InvalidStateError") {
    return "This device already has a passkey for your account.";
  }
  if (error instanceof DOMException && error.name === "NotAllowedError") {
    return "The passkey request was canceled or timed out. Try again.";
  }
  return "The browser could not use a passkey on this page. Reload the page, then try again.";
}

/** Returns the reason why passkeys cannot be used in this browser or at this URL. Returns null if they can be used. */
export function passkeysUnavailableReason(): string | null {
  if (!("PublicKeyCredential" in globalThis) || !PublicKeyCredential.parseRequestOptionsFromJSON) {
    return "This browser does not support passkeys.";
  }
  if (/^[\d.]+$|^\[/.test(location.hostname)) {
    const named = new URL("/dashboard", location.href);
    named.hostname = "localhost";
    return `Passkeys do not work with an IP address as the host name. Open ${named.href} instead.`;
  }
  return null;
}
