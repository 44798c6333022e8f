import { randomBytes } from "node:crypto";
import type { Id } from "../primitives/ids.ts";
import { uuidOf } from "../primitives/ids.ts";
import { decrypt, encrypt, SealBroken } from "./aes-gcm.ts";
import type { KeyProvider, WrappedKey } from "./key-provider.ts";

/**
 * What a sealed thing belongs to. All of it is bound into the seal, so that bytes copied to another account,
 * to the other mode, to another id or to another use do not open there.
 */
export type SealedFor = {
  /** The account, or the person whose own secret it is, and the mode whose keys seal it. */
  readonly owner: { readonly account: Id<string>; readonly livemode: boolean };
  readonly id: Id<string>;
  /** What the secret is for, such as `card` or `webhook_secret`. */
  readonly purpose: string;
};

/** Envelope encryption: the bytes under a data key of their own, and that key wrapped by the key provider. */
export type Sealed = WrappedKey & { readonly sealed: Buffer };

export async function seal(keys: KeyProvider, to: SealedFor, plain: Buffer): Promise<Sealed> {
  const dataKey = randomBytes(32);
  const boundTo = binding(to);
  const { keyId, wrapped } = await keys.wrap(to.owner.livemode, dataKey, boundTo);
  const sealed = encrypt(dataKey, plain, boundTo);
  dataKey.fill(0);
  return { keyId, wrapped, sealed };
}

export async function unseal(keys: KeyProvider, to: SealedFor, sealed: Sealed): Promise<Buffer> {
  const boundTo = binding(to);
  const dataKey = await keys.unwrap(to.owner.livemode, sealed, boundTo);
  return decrypt(dataKey, sealed.sealed, boundTo);
}

/** The same sealed bytes under the current key-encryption key: rotation never touches what is inside. */
export async function rewrap(
  keys: KeyProvider,
  to: SealedFor,
  old: WrappedKey,
): Promise<WrappedKey> {
  const boundTo = binding(to);
  const dataKey = await keys.unwrap(to.owner.livemode, old, boundTo);
  return keys.wrap(to.owner.livemode, dataKey, boundTo);
}

function binding({ owner, id, purpose }: SealedFor): Buffer {
  const mode = owner.livemode ? "live" : "test";
  // None of the parts can hold the separator: uuids, a word of ours, and one of two modes.
  return Buffer.from(`florin.v1|${purpose}|${mode}|${uuidOf(owner.account)}|${uuidOf(id)}`);
}

/** A secret in one column: `version ‖ length, key id ‖ length, wrapped key ‖ sealed`. */
export async function sealSecret(keys: KeyProvider, to: SealedFor, plain: Buffer): Promise<Buffer> {
  return pack(await seal(keys, to, plain));
}

export async function openSecret(
  keys: KeyProvider,
  to: SealedFor,
  packed: Buffer,
): Promise<Buffer> {
  return unseal(keys, to, unpack(packed));
}

/** The same secret with its data key wrapped anew; what is sealed is not opened. */
export async function rewrapSecret(
  keys: KeyProvider,
  to: SealedFor,
  packed: Buffer,
): Promise<Buffer> {
  const { sealed, ...old } = unpack(packed);
  return pack({ ...(await rewrap(keys, to, old)), sealed });
}

/** What every secret begins with that lies under this key. */
export function secretsBeginWith(keyId: string): Buffer {
  return Buffer.concat([Buffer.of(secretVersion), withLength(Buffer.from(keyId))]);
}

const secretVersion = 1;

function pack({ keyId, wrapped, sealed }: Sealed): Buffer {
  return Buffer.concat([secretsBeginWith(keyId), withLength(wrapped), sealed]);
}

function unpack(packed: Buffer): Sealed {
  if (packed[0] !== secretVersion) throw new SealBroken();
  const [keyId, afterKeyId] = takeWithLength(packed, 1);
  const [wrapped, afterWrapped] = takeWithLength(packed, afterKeyId);
  return { keyId: keyId.toString(), wrapped, sealed: packed.subarray(afterWrapped) };
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function takeWithLength(packed: Buffer, offset: number): [Buffer, number] {
  if (offset + 2 > packed.length) throw new SealBroken();
  const end = offset + 2 + packed.readUInt16BE(offset);
  if (end > packed.length) throw new SealBroken();
  return [packed.subarray(offset + 2, end), end];
}
