import {
  createHash,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";

/**
 * Returns a passkey registration with an Android key attestation (WebAuthn §8.4). The certificates are signed by their
 * own root and name a certificate revocation list at a URL of the attacker's choice.
 */
export function androidRegistration(options: {
  readonly origin: string;
  readonly challenge: string;
  readonly revocationListUrl: string;
}) {
  const { origin, challenge, revocationListUrl } = options;
  const clientData = Buffer.from(JSON.stringify({ type: "webauthn.create", challenge, origin }));
  const clientDataHash = hash("sha256", clientData, "buffer");
  const root = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signWith = { name: "Root", key: root.privateKey };
  const revocationList = extension("551d1f", distributionPoints(revocationListUrl));
  const leaf = certificate("Leaf", key.publicKey, signWith, [
    revocationList,
    extension("2b06010401d679020111", keyDescription(clientDataHash)),
  ]);
  const anchor = certificate("Root", root.publicKey, signWith, []);
  const credentialId = randomBytes(16);
  const authData = authenticatorData(new URL(origin).hostname, credentialId, key.publicKey);
  const signature = sign("sha256", Buffer.concat([authData, clientDataHash]), key.privateKey);
  const attestationObject = map({
    fmt: cborText("android-key"),
    attStmt: map({
      alg: Buffer.of(0x26),
      sig: cborBytes(signature),
      x5c: Buffer.concat([Buffer.of(0x82), cborBytes(leaf), cborBytes(anchor)]),
    }),
    authData: cborBytes(authData),
  });
  const id = credentialId.toString("base64url");
  return {
    id,
    rawId: id,
    type: "public-key" as const,
    clientExtensionResults: {},
    response: {
      clientDataJSON: clientData.toString("base64url"),
      attestationObject: attestationObject.toString("base64url"),
    },
  };
}

function authenticatorData(rpId: string, credentialId: Buffer, key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  // User present, user verified, and attested credential data.
  const flags = Buffer.of(0x45);
  return Buffer.concat([
    createHash("sha256").update(rpId).digest(),
    flags,
    Buffer.alloc(4),
    Buffer.alloc(16),
    Buffer.of(0, credentialId.length),
    credentialId,
    // The key in COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
    Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01),
    Buffer.concat([Buffer.of(0x21), cborBytes(Buffer.from(x, "base64url"))]),
    Buffer.concat([Buffer.of(0x22), cborBytes(Buffer.from(y, "base64url"))]),
  ]);
}

function certificate(
  subject: string,
  key: KeyObject,
  issuer: { readonly name: string; readonly key: KeyObject },
  extensions: readonly Buffer[],
): Buffer {
  const ecdsaWithSha256 = der(0x30, objectId("2a8648ce3d040302"));
  const now = Date.now();
  const day = 24 * 60 * 60_000;
  const signed = der(
    0x30,
    der(0xa0, integer(2)),
    integer(randomBytes(1).readUInt8() >> 1),
    ecdsaWithSha256,
    name(issuer.name),
    der(0x30, time(now - day), time(now + day)),
    name(subject),
    key.export({ format: "der", type: "spki" }),
    ...(extensions.length > 0 ? [der(0xa3, der(0x30, ...extensions))] : []),
  );
  const signature = sign("sha256", signed, issuer.key);
  return der(0x30, signed, ecdsaWithSha256, der(0x03, Buffer.of(0), signature));
}

/** The extension of an Android key, which contains the hash of the client data. */
function keyDescription(challenge: Buffer): Buffer {
  const securityLevel = der(0x0a, Buffer.of(1));
  const authorizations = der(0x30);
  return der(
    0x30,
    integer(3),
    securityLevel,
    integer(4),
    securityLevel,
    der(0x04, challenge),
    der(0x04),
    authorizations,
    authorizations,
  );
}

function distributionPoints(url: string): Buffer {
  return der(0x30, der(0x30, der(0xa0, der(0xa0, der(0x86, Buffer.from(url))))));
}

function extension(id: string, value: Buffer): Buffer {
  return der(0x30, objectId(id), der(0x04, value));
}

function name(commonName: string): Buffer {
  return der(0x30, der(0x31, der(0x30, objectId("550403"), der(0x0c, Buffer.from(commonName)))));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x18, Buffer.from(digits));
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.of(value));
}

function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const head =
    length < 0x80
      ? Buffer.of(tag, length)
      : Buffer.of(tag, 0x82, Math.floor(length / 256), length % 256);
  return Buffer.concat([head, body]);
}

function map(entries: Readonly<Record<string, Buffer>>): Buffer {
  const pairs = Object.entries(entries).flatMap(([key, value]) => [cborText(key), value]);
  return Buffer.concat([Buffer.of(0xa0 | (pairs.length / 2)), ...pairs]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 | text.length), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  const { length } = bytes;
  const head =
    length < 0x100
      ? Buffer.of(0x58, length)
      : Buffer.of(0x59, Math.floor(length / 256), length % 256);
  return Buffer.concat([head, bytes]);
}
