import { type AccountId, uuidOf } from "@florin/server/core/ids.ts";
import type pg from "pg";

/**
 * Fills one merchant's test mode with varied charges of the last ninety days. Most succeed, some fail, and a few are
 * refunded, disputed or held. The charges have many different cards, amounts, orders and customers. Returns the filters
 * whose latency is measured.
 */
export async function fillVariedCharges(client: pg.Client, account: AccountId, count: number) {
  console.error(`Filling a database with ${count.toLocaleString("en-US")} charges of every kind.`);
  await client.query("set synchronous_commit = off");
  await client.query(`
    create function pg_temp.draw(n integer, what text, below integer) returns integer language sql immutable
    return (('x' || substr(md5(what || n), 1, 8))::bit(32)::bigint % below)::integer`);
  await client.query(fillStatement, [uuidOf(account), count]);
  await client.query("vacuum analyze charges");
  await client.query("checkpoint");
  return { filters: filtersOf(count) };
}

const fillStatement = `
  insert into charges (
    account_id, livemode, id, status, version, amount, amount_captured, amount_refunded, amount_disputed, currency,
    capture_method, capture_before, processor, payment_method_id, card, checks, customer_id, decision_outcome, risk_score,
    decision_details, metadata, failure_code, decline_code, claimed_by, finalized_at
  )
  select $1, false,
         (lpad(to_hex(((extract(epoch from now()) - 7776000.0 * ($2 - n + 1) / $2) * 1000)::bigint), 12, '0')
           || '7' || substr(md5('id' || n), 1, 3) || '8' || substr(md5('id' || n), 4, 15))::uuid,
         status, 2, amount,
         case when status = 'succeeded' then amount else 0 end,
         case when status = 'succeeded' and pg_temp.draw(n, 'refund', 50) = 0 then amount else 0 end,
         case when status = 'succeeded' and pg_temp.draw(n, 'refund', 50) > 0 and pg_temp.draw(n, 'dispute', 700) = 0
              then amount else 0 end,
         (array['usd','usd','usd','usd','eur','eur','gbp','jpy'])[1 + pg_temp.draw(n, 'currency', 8)],
         case when status in ('authorized', 'canceled') then 'manual' else 'automatic' end,
         case when status = 'authorized' then now() + interval '7 days' end,
         'simulator',
         (substr(md5('card' || pg_temp.draw(n, 'card', 200000)), 1, 8) || '-0000-7000-8000-000000000000')::uuid,
         jsonb_build_object(
           'brand', (array['visa','visa','visa','mastercard','mastercard','amex','discover'])[1 + pg_temp.draw(n, 'brand', 7)],
           'last4', lpad(pg_temp.draw(pg_temp.draw(n, 'card', 200000), 'last4', 10000)::text, 4, '0'),
           'exp_month', 12, 'exp_year', 2029, 'funding', 'credit', 'country', 'US', 'networks',
           '{"available":["visa"],"preferred":null}'::jsonb, 'fingerprint', md5('card' || pg_temp.draw(n, 'card', 200000))),
         '{"cvcCheck":"pass","addressLine1Check":null,"addressPostalCodeCheck":null}',
         case when pg_temp.draw(n, 'has customer', 3) = 0
              then (substr(md5('customer' || pg_temp.draw(n, 'customer', 50000)), 1, 8) || '-0000-7000-8000-000000000000')::uuid end,
         'approve', 10,
         case when pg_temp.draw(n, 'email', 2) = 0
              then jsonb_build_object('email', 'customer' || pg_temp.draw(n, 'payer', 300000) || '@example.com') end,
         jsonb_build_object('order', n::text, 'shop', 'shop ' || pg_temp.draw(n, 'shop', 40)),
         case when status = 'failed' then 'card_declined' end,
         case when status = 'failed' then
           (array['generic_decline','insufficient_funds','insufficient_funds','do_not_honor','lost_card'])
             [1 + pg_temp.draw(n, 'decline', 5)] end,
         0, now()
    from generate_series(1, $2::integer) as n
   cross join lateral (
     select 100 + floor(exp(pg_temp.draw(n, 'amount', 10000) / 1200.0) * 10)::bigint as amount,
            case when pg_temp.draw(n, 'status', 100) < 88 then 'succeeded'
                 when pg_temp.draw(n, 'status', 100) < 97 then 'failed'
                 when pg_temp.draw(n, 'status', 100) < 98 and n > 0.93 * $2 then 'authorized'
                 when pg_temp.draw(n, 'status', 1000) < 981 then 'canceled'
                 else 'succeeded' end as status
   ) as drawn`;

/** Returns each filter with several values, so that consecutive requests do not read the same cached rows. */
function filtersOf(count: number): ReadonlyMap<string, readonly string[]> {
  const variants = (query: (n: number) => string) => Array.from({ length: 40 }, (_, n) => query(n));
  const order = (n: number) => 1 + ((n * 7919 * 31) % count);
  const day = (n: number) => Math.floor(Date.now() / 1000) - n * 2 * 86_400;
  const last4 = (n: number) => String((n * 911) % 10_000).padStart(4, "0");
  return new Map([
    ["none", variants(() => "")],
    ["none, 100 a page", variants(() => "limit=100")],
    ["created", variants((n) => `created[lt]=${day(n)}&created[gte]=${day(n + 1)}`)],
    ...["succeeded", "failed", "authorized", "canceled", "processing", "failed,canceled"].map(
      (status) => [`status=${status}`, variants(() => `status=${status}&limit=50`)] as const,
    ),
    ["currency", variants((n) => `currency=${["usd", "eur", "jpy", "kwd"][n % 4]}&limit=50`)],
    ["brand", variants((n) => `brand=${["visa", "amex", "jcb"][n % 3]}&limit=50`)],
    [
      "amount, a range",
      variants((n) => `amount[gte]=${5_000 + n * 100}&amount[lt]=${5_500 + n * 100}&limit=50`),
    ],
    ["amount, large", variants((n) => `amount[gte]=${35_000 + n * 100}&limit=50`)],
    ["amount, above all", variants(() => "amount[gte]=9000000&limit=50")],
    [
      "amount, exact",
      variants((n) => `amount[gte]=${1_999 + n}&amount[lte]=${1_999 + n}&limit=50`),
    ],
    ["last4", variants((n) => `last4=${last4(n)}&limit=50`)],
    ["last4, created", variants((n) => `last4=${last4(n)}&created[lt]=${day(n)}&limit=50`)],
    [
      "decline_code",
      variants(
        (n) => `decline_code=${["lost_card", "do_not_honor", "expired_card"][n % 3]}&limit=50`,
      ),
    ],
    ["refunded", variants((n) => `refunded=${n % 2 === 0}&limit=50`)],
    ["disputed", variants((n) => `disputed=${n % 2 === 0}&limit=50`)],
    ["metadata, one match", variants((n) => `metadata[order]=${order(n)}`)],
    ["metadata, many matches", variants((n) => `metadata[shop]=shop ${n}&limit=50`)],
    ["metadata, no match", variants((n) => `metadata[shop]=no ${n}`)],
    ["customer_email", variants((n) => `customer_email=customer${n * 7_000}@example.com`)],
    ["client_reference_id", variants((n) => `client_reference_id=none ${n}`)],
    [
      "status and currency",
      variants((n) => `status=failed&currency=${["gbp", "jpy"][n % 2]}&limit=50`),
    ],
    [
      "status, currency and brand",
      variants(() => "status=canceled&currency=jpy&brand=discover&limit=50"),
    ],
    [
      "status and amount",
      variants((n) => `status=failed&amount[gte]=${30_000 + n * 100}&limit=50`),
    ],
    ["status and last4", variants((n) => `status=failed&last4=${last4(n)}&limit=50`)],
    [
      "decline_code and amount",
      variants(() => "decline_code=lost_card&amount[gte]=30000&limit=50"),
    ],
    ["refunded and currency", variants(() => "refunded=true&currency=jpy&limit=50")],
    [
      "brand, amount and shop",
      variants((n) => `brand=amex&amount[lt]=500&metadata[shop]=shop ${n}&limit=50`),
    ],
    ["impossible combination", variants(() => "status=succeeded&decline_code=lost_card&limit=50")],
  ]);
}
