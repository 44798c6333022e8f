import { test } from "node:test";
import { connectAdyen, startAdyen } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { startCheckoutCom, connectCheckoutCom } from "../checkout-com.ts";
import { startStripe, connectStripe } from "../stripe.ts";
import { closeChecked } from "../close-checked.ts";
import { startShop } from "../shop.ts";
import { skipEndOfDay } from "../test-clock.ts";
test("live", async () => {
  const [adyen, stripe, cko] = await Promise.all([startAdyen(), startStripe(), startCheckoutCom()]);
  const shop = await startShop({ acquirers: "sandbox", acquirerOrigins: { adyen: adyen.url, stripe: stripe.url, checkout_com: cko.url }, inRealTime: true });
  const adv = skipEndOfDay(shop.clock); for (const f of [adyen, stripe, cko]) if (adv) await f.control("POST clock", { advanceMs: adv }).catch(() => 0);
  const merchants = [["adyen", adyen, await connectAdyen(shop, adyen), ["captures", "cancels", "refunds"]], ["stripe", stripe, await connectStripe(shop, stripe), ["capture", "cancel", "refunds"]], ["cko", cko, await connectCheckoutCom(shop, cko), ["captures", "voids", "refunds"]]] as const;
  const count = (l: any[]) => { const m: any = {}; for (const x of l) m[x] = (m[x] ?? 0) + 1; return m; };
  await Promise.all(merchants.map(async ([name, fake, { key }, eps]) => {
    const post = (p: string, b: any = {}, k?: string) => shop.post(p, b, { as: key, ...(k && { key: k }) });
    const get = async (p: string) => (await shop.get(p, { as: key })).body;
    for (const currency of ["usd", "jpy", "bhd", "isk", "clp", "kwd"]) {
      const unit = ["isk", "clp"].includes(currency) ? 100 : currency === "bhd" || currency === "kwd" ? 10 : 1;
      const amount = 50000;
      const out: string[] = [];
      const charges = await Promise.all(Array.from({ length: 6 }, async () => {
        const b = await createCheckout(shop, { amount, currency, capture_method: "manual" }, key);
        const s = await b.type("4111111111111111", { cvc: "737" });
        const c = await b.confirm(s.body.payment_method_id);
        const session = (await get("/checkout_sessions/" + b.session));
        return [session.charge_id, c.status, c.text] as const;
      }));
      for (const [id, st, text] of charges) {
        if (!id) { out.push("nocharge " + st + text.slice(0, 200)); continue; }
        for (const e of eps) if (Math.random() < 0.5) await fake.fault(e, ["cut_before_response", "html_502", "cut_after_processing"][Math.floor(Math.random() * 2)]!).catch((x) => console.log(String(x).slice(0,100)));
        const caps = await Promise.all([post(`/charges/${id}/capture`, { amount: 30000 }, "a" + id), post(`/charges/${id}/capture`, { amount: 30000 }, "a" + id), post(`/charges/${id}/cancel`, {}, "c" + id), post(`/charges/${id}/capture`, { amount: 40000 }, "b" + id), post(`/charges/${id}/capture`)]);
        if (caps.some(r => r.status >= 500)) console.log(name, currency, caps.map(r => r.status + " " + r.text.slice(0, 150)));
        for (let i = 0; i < 80; i++) { const c = await get("/charges/" + id); if (["succeeded", "canceled", "failed"].includes(c.status)) break; if (name === "adyen") await adyen.sendPendingNotifications(); await new Promise(r => setTimeout(r, 100)); }
        const c1 = await get("/charges/" + id);
        let refs: any[] = [];
        if (c1.status === "succeeded") {
          const n = c1.amount_captured / 10; const step = unit === 100 ? Math.ceil(n / 100) * 100 : n;
          refs = await Promise.all(Array.from({ length: 14 }, (_, i) => post("/refunds", { charge_id: id, amount: step }, "r" + id + (i >> 1 << 1 === i ? i : i))));
          const rep = await Promise.all(Array.from({ length: 14 }, (_, i) => post("/refunds", { charge_id: id, amount: step }, "r" + id + i)));
          const bad = rep.filter((r, i) => r.status === 201 && refs[i].status === 201 && r.body.id !== refs[i].body.id); if (bad.length) console.log("DIFFERENT REPLAY", name);
          for (let i = 0; i < 80; i++) { if (name === "adyen") await adyen.sendPendingNotifications(); const l = await get(`/refunds?charge_id=${id}&limit=100`); if (!l.data.some((x: any) => x.status === "pending")) break; await new Promise(r => setTimeout(r, 150)); }
        }
        const c = await get("/charges/" + id); const p: any = await fake.paymentOf(id);
        const cap = p.capturedValue ?? p.capturedAmount, ref = p.refundedValue ?? p.refundedAmount;
        const sum = (await get(`/refunds?charge_id=${id}&limit=100`)).data.filter((x: any) => x.status === "succeeded").reduce((s: number, x: any) => s + x.amount, 0);
        const f = cap ? c.amount_captured / cap : 1;
        const bal = (await get(`/balance_transactions?source=${id}`)).data?.map((x: any) => x.amount);
        out.push(`${c.status} cap=${c.amount_captured}/${cap} ref=${c.amount_refunded}/${sum}/${ref} ${c.amount_refunded === sum && Math.abs(ref * f - sum) < 1e-6 ? "ok" : "MISMATCH"} bal=${bal} ${JSON.stringify(count(refs.map(r => r.status + (r.body.error?.code ?? r.body.status))))}`);
      }
      console.log(name, currency, JSON.stringify(count(out), null, 1));
    }
  }));
  for (const [name, , { key }] of merchants) console.log(name, JSON.stringify((await shop.get("/balance", { as: key })).body));
  console.log(count(shop.log.filter((l: any) => l.level >= 50).map((l: any) => String(l.msg) + " " + String((l.err as any)?.message).slice(0, 200))));
  await closeChecked(shop).catch((e) => console.log(String(e).split("\n").filter(l => /FAIL|    /.test(l)).slice(0, 30).join("\n")));
  await Promise.all([adyen.close(), stripe.close(), cko.close()]);
});
