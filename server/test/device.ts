import { generateKeyPairSync, hash, randomBytes, sign } from "node:crypto";

/**
 * A device with one passkey. Encodes the WebAuthn messages byte by byte, so that a test can also send messages that no
 * real device sends.
 */
export type Device = {
  readonly id: string;
  register(challenge: string): object;
  authenticate(challenge: string, changes?: ChangedFields): object;
};

export type ChangedFields = {
  /** The origin of the page that requests the credential. */
  readonly origin?: string;
  /** True if the device verified the user by fingerprint, face or PIN. */
  readonly userVerified?: boolean;
  readonly counter?: number;
};

const userPresent = 0x01;
const userVerifiedFlag = 0x04;
const attestedCredential = 0x40;

export function createDevice(origin: string): Device {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = randomBytes(16);
  const id = credentialId.toString("base64url");
  const rpIdHash = hash("sha256", new URL(origin).hostname, "buffer");
  let uses = 0;

  function authenticatorData(flags: number, counter: number, credential = Buffer.alloc(0)): Buffer {
    const fixed = Buffer.alloc(5);
    fixed.writeUInt8(flags, 0);
    fixed.writeUInt32BE(counter, 1);
    return Buffer.concat([rpIdHash, fixed, credential]);
  }

  function clientData(type: string, challenge: string, from = origin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  }

  function credential(response: Readonly<Record<string, Buffer>>): object {
    const encoded = Object.fromEntries(
      Object.entries(response).map(([name, bytes]) => [name, bytes.toString("base64url")]),
    );
    const type = "public-key";
    return { id, rawId: id, type, response: encoded, clientExtensionResults: {} };
  }

  return {
    id,
    register(challenge) {
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(x, y)]);
      const flags = userPresent | userVerifiedFlag | attestedCredential;
      return credential({
        clientDataJSON: clientData("webauthn.create", challenge),
        attestationObject: withoutAttestation(authenticatorData(flags, uses, attested)),
      });
    },
    authenticate(challenge, { origin: from, userVerified = true, counter } = {}) {
      uses = counter ?? uses + 1;
      const data = authenticatorData(userPresent | (userVerified ? userVerifiedFlag : 0), uses);
      const clientDataJSON = clientData("webauthn.get", challenge, from);
      const signed = Buffer.concat([data, hash("sha256", clientDataJSON, "buffer")]);
      const signature = sign("sha256", signed, privateKey);
      return credential({ clientDataJSON, authenticatorData: data, signature });
    },
  };
}

/** Encodes an EC key for ES256 in COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
function coseKey(x: string, y: string): Buffer {
  const coordinate = (name: number, value: string) =>
    Buffer.concat([Buffer.of(name, 0x58, 32), Buffer.from(value, "base64url")]);
  const head = Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01);
  return Buffer.concat([head, coordinate(0x21, x), coordinate(0x22, y)]);
}

/** Encodes {"fmt": "none", "attStmt": {}, "authData": …} in CBOR. */
function withoutAttestation(authData: Buffer): Buffer {
  const name = (text: string) => Buffer.concat([Buffer.of(0x60 | text.length), Buffer.from(text)]);
  return Buffer.concat([
    Buffer.of(0xa3),
    name("fmt"),
    name("none"),
    name("attStmt"),
    Buffer.of(0xa0),
    name("authData"),
    Buffer.of(0x58, authData.length),
    authData,
  ]);
}
