import assert from "node:assert/strict";
import { test } from "node:test";
import { json, openModule, reject } from "../../test/browser.ts";

/** A page with one operation and one read of the account. */
const { mount } = await openModule(
  `import { QueryClientProvider, useQuery } from "@tanstack/react-query";
   import { createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
   import { useState } from "react";
   import { createRoot } from "react-dom/client";
   import { useApi } from "./use-api.ts";
   import { queries } from "./query-client.ts";
   import { useOperation } from "./use-operation.ts";
   export const results = [];
   function Operation() {
     const [amount, setAmount] = useState("5");
     const refund = useOperation((api, input, key) => api.post("/refunds", input, key), { done: ({ id }) => results.push("done " + id) });
     const press = () => refund.run({ amount: Number(amount) }).then((answer) => results.push("run " + (answer && answer.id)));
     return <>
       <input aria-label="Amount" value={amount} onChange={({ target }) => setAmount(target.value)} />
       <button type="button" onClick={press}>Refund</button>
       <button type="button" onClick={refund.reset}>Close</button>
       <p role="status">{refund.pending ? "pending" : "idle"}</p>
       <p role="alert">{refund.problem && refund.problem.code}</p>
     </>;
   }
   function Page() {
     const [there, setThere] = useState(true);
     const api = useApi();
     const { data } = useQuery({ queryKey: [api.scope.account, "charge"], queryFn: () => api.get("/charges/ch_1") });
     return <><p>Refunded {data && data.refunded}</p><button type="button" onClick={() => setThere(false)}>Leave</button>{there && <Operation />}</>;
   }
   const root = createRootRoute();
   const page = createRoute({ getParentRoute: () => root, path: "/$account/$mode", component: Page });
   const router = createRouter({ routeTree: root.addChildren([page]), basepath: "/dashboard" });
   createRoot(document.getElementById("root")).render(<QueryClientProvider client={queries}><RouterProvider router={router} /></QueryClientProvider>);`,
  import.meta.dirname,
);

declare const tested: { results: string[] };

type Outcome = "done" | "lost" | "rejected" | "done before" | "waiting";

/**
 * Opens the page against a server that executes each idempotency key once, and drops responses or rejects requests as
 * specified.
 */
async function operation(...outcomes: Outcome[]) {
  const done = new Map<string, number>();
  const release: (() => void)[] = [];
  const mounted = await mount(
    "/dashboard/acct_1/test",
    async ({ method, key = "", body }, response) => {
      const refunded = [...done.values()].reduce((sum, amount) => sum + amount, 0);
      if (method === "GET") return json(response, 200, { refunded });
      const outcome = outcomes.shift() ?? "done";
      if (outcome === "rejected") return reject(response, 400, "amount_too_large", "amount");
      if (outcome === "waiting") await new Promise<void>((resolve) => release.push(resolve));
      const { amount } = JSON.parse(body);
      const before = done.get(key);
      if (before !== undefined && before !== amount) {
        return reject(response, 422, "idempotency_key_in_use");
      }
      done.set(key, amount);
      if (outcome === "lost") return reject(response, 500, "internal_error");
      json(response, 201, { id: `re_${done.size}` });
    },
  );
  const { page } = mounted;
  await page.getByText("Refunded 0").waitFor();
  return {
    ...mounted,
    done,
    release,
    press: () => page.getByRole("button", { name: "Refund" }).click(),
    problem: (code: string) => page.getByRole("alert").getByText(code).waitFor(),
    results: () => page.evaluate(() => tested.results),
    keys: () =>
      mounted.received.filter(({ method }) => method === "POST").map(({ key }) => key as string),
  };
}

test("after success, the page refetches the account's data before it reports the result", async () => {
  const { page, press, results } = await operation();
  await press();
  await page.getByText("Refunded 5").waitFor();
  assert.deepEqual(await results(), ["done re_1", "run re_1"]);
});

test("a double click refunds once", async () => {
  const { page, done } = await operation();
  await page.getByRole("button", { name: "Refund" }).dblclick();
  await page.getByText("Refunded 5").waitFor();
  assert.equal(done.size, 1);
});

test("a second press after a lost response repeats the same operation", async () => {
  const { page, press, problem, done, keys } = await operation("lost");
  await press();
  await problem("internal_error");
  await press();
  await page.getByRole("alert").getByText("internal_error").waitFor({ state: "detached" });
  assert.equal(done.size, 1);
  assert.equal(new Set(keys()).size, 1);
});

test("another amount after a lost response does not move money a second time, and shows the earlier result", async () => {
  const { page, press, problem, done } = await operation("lost");
  await press();
  await problem("internal_error");
  await page.getByLabel("Amount").fill("7");
  await press();
  await problem("idempotency_key_in_use");
  await page.getByText("Refunded 5").waitFor();
  assert.deepEqual([...done.values()], [5]);
  // The page has shown the earlier result, so the next press is a new operation.
  await press();
  await page.getByText("Refunded 12").waitFor();
});

test("after a definite rejection, the next press starts a new operation", async () => {
  const { page, press, problem, keys } = await operation("rejected");
  await press();
  await problem("amount_too_large");
  await press();
  await page.getByText("Refunded 5").waitFor();
  assert.equal(new Set(keys()).size, 2);
});

test("a rejected press does not release the key of an earlier press without a response", async () => {
  const { page, press, problem, done, keys } = await operation("lost", "rejected");
  await press();
  await problem("internal_error");
  await press();
  await problem("amount_too_large");
  await press();
  await page.getByRole("alert").getByText("amount_too_large").waitFor({ state: "detached" });
  assert.equal(new Set(keys()).size, 1);
  assert.equal(done.size, 1);
});

test("closing the page during an operation logs no error, and the data is refetched", async () => {
  const { page, press, release, complaints: messages } = await operation("waiting");
  await press();
  await page.getByText("pending").waitFor();
  await page.getByRole("button", { name: "Leave" }).click();
  // Waits for the server to receive the request, because the page shows "pending" before that.
  while (release.length === 0) await page.waitForTimeout(10);
  release[0]?.();
  await page.getByText("Refunded 5").waitFor();
  assert.deepEqual(messages, []);
});

test("closing a dialog clears its error", async () => {
  const { page, press, problem } = await operation("rejected");
  await press();
  await problem("amount_too_large");
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("alert").getByText("amount_too_large").waitFor({ state: "detached" });
});
