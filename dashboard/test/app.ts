import type { Me } from "@florin/contract/person.ts";
import { json, openModule, type Received, type Respond } from "./browser.ts";

/**
 * Opens the whole dashboard. Each page has a server in place of the service, with one signed-in owner of two accounts
 * and without any objects.
 */
export async function openDashboard() {
  const { mount } = await openModule(
    `document.getElementById("root").id = "app";
     void import("../src/main.tsx");
     export { queries } from "../src/api/query-client.ts";
     export { readingMe } from "../src/api/signed-in-person.ts";`,
    import.meta.dirname,
  );
  return (
    path: string,
    respond: (received: Received) => ReturnType<TestRespond> = () => undefined,
  ) => mount(path, respondAs(respond));
}

/** Returns the response to a request, or undefined for the response of a service without objects. */
type TestRespond = (
  received: Received,
) => TestResponse | undefined | Promise<TestResponse | undefined>;

type TestResponse = { readonly status?: number; readonly body: unknown };

export const owner: Me = {
  object: "person",
  id: "per_1",
  email: "ada@example.com",
  name: "Ada",
  operator: false,
  second_factors: { totp: false, passkeys: 0, recovery_codes_left: 0 },
  session: { id: "ses_1", second_factor: false, authenticated_at: 0, expires_at: 2_000_000_000 },
  memberships: (["acct_1", "acct_2"] as const).map((id) => ({
    account: { id, name: `Shop ${id}`, country: "DE", status: "approved", time_zone: "UTC" },
    role: "owner",
  })),
};

function respondAs(respond: TestRespond): Respond {
  return async (received, response) => {
    const given = await respond(received);
    if (given) return json(response, given.status ?? 200, given.body);
    json(response, 200, received.path === "/auth/v1/me" ? owner : { data: [], has_more: false });
  };
}
