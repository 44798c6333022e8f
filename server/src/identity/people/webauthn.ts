/** Imported with the first passkey. It takes 20 MB, which a process that only charges does not need. */
export const webauthn = () => import("@simplewebauthn/server");
