import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { serveLibrary } from "../../platform/processes/serve-library.ts";

/** Runs in a worker thread and calls the WebAuthn library. See `webauthn.ts`. */
const library = {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
};

export type WebauthnLibrary = typeof library;

serveLibrary(library);
