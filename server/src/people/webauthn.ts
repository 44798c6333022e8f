/** Read when the first passkey is shown: it takes 20 MB, which a process that only charges can do without. */
export const webauthn = () => import("@simplewebauthn/server");
