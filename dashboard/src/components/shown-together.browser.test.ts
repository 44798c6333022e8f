import assert from "node:assert/strict";
import { test } from "node:test";
import { openModule } from "../../test/browser.ts";

/** A page with two sections and a chart. Each section shows a placeholder until `tested.finish` ends its read. */
const { mount } = await openModule(
  `import { notifyManager, QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
   import { createRoot } from "react-dom/client";
   import { DrawingArea } from "./drawing-area.tsx";
   import { ShownTogether } from "./shown-together.tsx";
   // Notifies one read after the other, with time for a frame in between, as on a busy device.
   let dueAt = 0;
   notifyManager.setScheduler((notify) => {
     dueAt = Math.max(dueAt, performance.now()) + 40;
     setTimeout(notify, dueAt - performance.now());
   });
   const reads = ["First", "Second"].map((name) => ({ name, ...Promise.withResolvers() }));
   export const finish = () => { for (const { name, resolve } of reads) resolve(name); };
   function Section({ name, promise }) {
     const { data } = useQuery({ queryKey: [name], queryFn: () => promise });
     return <p>{data ?? "Loading"}</p>;
   }
   export const states = [];
   /** True if the sections were invisible when the chart was drawn. */
   export const drawn = [];
   function Drawing() {
     return <i ref={(drawing) => { if (drawing) drawn.push(drawing.closest(".invisible") !== null); }}>Drawn</i>;
   }
   const root = document.getElementById("root");
   new MutationObserver(() => {
     const sections = [...root.querySelectorAll("p")];
     // The page has no stylesheet.
     if (sections.some((section) => !section.closest(".invisible"))) {
       states.push(sections.map(({ textContent }) => textContent).join(" "));
     }
   }).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
   createRoot(root).render(
     <QueryClientProvider client={new QueryClient()}>
       <ShownTogether>
         {reads.map((read) => <Section key={read.name} {...read} />)}
         <DrawingArea className="chart">{() => <Drawing />}</DrawingArea>
       </ShownTogether>
     </QueryClientProvider>,
   );`,
  import.meta.dirname,
);

declare const tested: { finish(): void; states: string[]; drawn: boolean[] };

test("sections whose reads finish in the same instant are never visible with a placeholder", async () => {
  const { page } = await mount();
  await page.getByText("Loading").first().waitFor({ state: "attached" });
  await page.evaluate(() => tested.finish());
  await page.getByText("Second").waitFor();
  await page.locator(".invisible").waitFor({ state: "detached" });
  const states = await page.evaluate(() => tested.states);
  assert.deepEqual(new Set(states), new Set(["First Second"]));
});

test("a chart is drawn only after the sections are shown, so that it does not delay them", async () => {
  const { page } = await mount();
  await page.getByText("Loading").first().waitFor({ state: "attached" });
  // Without waiting for the sections, the chart would be drawn within a few frames.
  await page.evaluate(async () => {
    for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
  });
  await page.evaluate(() => tested.finish());
  await page.getByText("Drawn").waitFor();
  assert.deepEqual(await page.evaluate(() => tested.drawn), [false]);
});
