import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { serveLibraryThread } from "../../platform/processes/serve-library-thread.ts";

// A registration can contain certificates with the URL of a revocation list. The library sends a request to this URL,
// even if the certificates are not from a known authority, so anyone who signs up could choose a URL in the internal
// network (server-side request forgery). The library treats a failed request as a list that is not available.
globalThis.fetch = () => Promise.reject(new Error("The WebAuthn library must not send requests."));

/** Runs in a worker thread and calls the WebAuthn library. See `webauthn.ts`. */
const library = {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
};

export type WebauthnLibrary = typeof library;

serveLibraryThread(library);
