import { type ConnectionId, newId, uuidOf } from "../src/core/ids.ts";
import type { Shop } from "./shop.ts";

/** Inserts a notification of a live connection that an operator must review. Returns its ID. */
export async function insertNotificationInReview(
  { app, clock }: Pick<Shop, "app" | "clock">,
  connection: ConnectionId,
): Promise<string> {
  const id = newId("ntf", clock.now());
  const item = {
    merchantReference: "",
    merchantAccount: "FieldwareECOM",
    createdAt: null,
    amount: null,
    additionalData: {},
  };
  await app.database.transaction(
    (tx) => tx`
      insert into acquirer_notifications
             (id, connection_id, deduplication_key, event_code, item, state, problem, received_at)
      values (${uuidOf(id)}, ${uuidOf(connection)}, ${id}, 'CAPTURE', ${JSON.stringify(item)}, 'review', 'A problem.',
              now())`,
  );
  return id;
}
