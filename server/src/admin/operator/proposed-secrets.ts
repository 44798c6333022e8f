import { encryptionContextOf } from "../../acquiring/connections/connection-secrets.ts";
import type { EncryptedColumn } from "../../vault/rewrap-secrets.ts";
import {
  type ProposedSecrets,
  readProposedSecretsWithout,
  replaceProposedSecrets,
} from "./proposal.sql.ts";

/**
 * The secrets of proposals that wait for a second operator. They are encrypted like the secrets of their connection, so
 * that the confirmation stores the ciphertext unchanged.
 */
export const proposedSecrets: EncryptedColumn<ProposedSecrets> = {
  liveOnly: true,
  read: (read, _livemode, beginning, limit) => readProposedSecretsWithout(read, beginning, limit),
  to: ({ connection }) => encryptionContextOf(connection),
  replace: replaceProposedSecrets,
};
