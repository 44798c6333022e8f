import { test } from "node:test";
import { openModule } from "../../test/browser.ts";

const { mount } = await openModule(
  `import { createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from "@tanstack/react-router";
   import { useState } from "react";
   import { flushSync } from "react-dom";
   import { createRoot } from "react-dom/client";
   import { MeContext } from "../api/signed-in-person.ts";
   import { Shortcuts } from "./shortcuts.tsx";
   const me = { memberships: [{ account: { id: "acct_1", status: "test_only" }, role: "owner" }] };
   export let render;
   function Shell() {
     const [times, setTimes] = useState(0);
     render = () => flushSync(() => setTimes((before) => before + 1));
     return <MeContext value={{ ...me }}><p>Rendered {times} times</p><Shortcuts /><Outlet /></MeContext>;
   }
   const root = createRootRoute();
   const shell = createRoute({ getParentRoute: () => root, path: "/$account/$mode", component: Shell });
   const page = createRoute({ getParentRoute: () => shell, path: "payments", component: () => <h1>Payments</h1> });
   const router = createRouter({ routeTree: root.addChildren([shell.addChildren([page])]), basepath: "/dashboard" });
   createRoot(document.getElementById("root")).render(<RouterProvider router={router} />);`,
  import.meta.dirname,
);

declare const tested: { render(): void };

test("a shortcut of two keys works if the page renders between the keys", async () => {
  const { page } = await mount();
  await page.getByText("Rendered 0 times").waitFor();
  // Sends both keys in one task, because the pause between the keys of a shortcut is limited.
  await page.evaluate(() => {
    dispatchEvent(new KeyboardEvent("keydown", { key: "g" }));
    tested.render();
    dispatchEvent(new KeyboardEvent("keydown", { key: "p" }));
  });
  await page.getByText("Rendered 1 times").waitFor();
  await page.getByRole("heading", { name: "Payments" }).waitFor();
});
