import assert from "node:assert/strict";
import { test } from "node:test";
import { openModule } from "../../test/browser.ts";

const { mount } = await openModule(
  `import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
   import { createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
   import { createRoot } from "react-dom/client";
   import { InboxPage } from "./inbox.tsx";
   const router = createRouter({ routeTree: createRootRoute({ component: InboxPage }), basepath: "/dashboard/inbox" });
   createRoot(document.getElementById("root")).render(<QueryClientProvider client={new QueryClient()}><RouterProvider router={router} /></QueryClientProvider>);`,
  import.meta.dirname,
);

test("the secret of an earlier server start is dropped, and the page refers to the printed link", async () => {
  const error = { type: "invalid_request_error", code: "link_invalid", message: "Stale." };
  const { page, received } = await mount("/dashboard/inbox#stale", (_request, response) => {
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  });
  await page.getByText("Open the printed link").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.equal(await page.evaluate("localStorage.getItem('florin-inbox')"), null);
  await page.reload();
  await page.getByText("Open the printed link").waitFor();
  assert.equal(received.length, 1, "the inbox is not requested without a secret");
});
