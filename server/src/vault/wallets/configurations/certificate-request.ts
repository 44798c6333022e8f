import { createPrivateKey, sign } from "node:crypto";
import type { WalletKeyPurpose } from "@florin/contract/operator-wallets.ts";
import {
  Set as AsnSet,
  type BaseBlock,
  BitString,
  Constructed,
  fromBER,
  Integer,
  Null,
  ObjectIdentifier,
  Sequence,
  Utf8String,
} from "asn1js";
import { oids } from "../apple-pay/object-identifiers.ts";
import type { GeneratedKey } from "./wallet-key-secrets.ts";

/**
 * Returns a certificate request (PKCS #10, RFC 2986) in PEM, which the operator uploads to Apple. `name` is its common
 * name, which Apple replaces. The private key is not overwritten.
 */
export function certificateRequest(
  { publicKey, privateKey }: GeneratedKey,
  purpose: WalletKeyPurpose,
  name: string,
): string {
  const noAttributes = new Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value: [] });
  const version1 = new Integer({ value: 0 });
  const toBeSigned = sequence(
    version1,
    sequence(commonName(name)),
    fromBER(publicKey).result,
    noAttributes,
  );
  const key = createPrivateKey({ key: privateKey, format: "der", type: "pkcs8" });
  const signature = sign("sha256", Buffer.from(toBeSigned.toBER()), key);
  const request = sequence(
    toBeSigned,
    algorithmOf(purpose),
    new BitString({ valueHex: signature }),
  );
  return pemOf("CERTIFICATE REQUEST", Buffer.from(request.toBER()));
}

function algorithmOf(purpose: WalletKeyPurpose): Sequence {
  return purpose === "payment_processing"
    ? sequence(new ObjectIdentifier({ value: oids.ecdsaWithSha256 }))
    : sequence(new ObjectIdentifier({ value: oids.sha256WithRsa }), new Null());
}

function commonName(name: string): AsnSet {
  const oid = new ObjectIdentifier({ value: oids.commonName });
  return new AsnSet({ value: [sequence(oid, new Utf8String({ value: name }))] });
}

function sequence(...value: BaseBlock[]): Sequence {
  return new Sequence({ value });
}

/** Returns public data in PEM (RFC 7468). */
function pemOf(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
