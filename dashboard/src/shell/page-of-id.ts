/** The page of each object type, by the prefix of the object's ID. */
const pages: Readonly<Record<string, string>> = {
  ch: "payments",
  cs: "checkout-sessions",
  dec: "decisions",
  re: "refunds",
  dp: "disputes",
  po: "payouts",
  rec: "reconciliations",
  cus: "customers",
  we: "webhooks",
  whd: "webhook-deliveries",
  evt: "events",
  req: "requests",
};

export function pageOfId(id: string): string | null {
  const [, prefix = ""] = /^([a-z]+)_[0-9a-z]{26}$/.exec(id) ?? [];
  const page = pages[prefix];
  return page ? `/${page}/${id}` : null;
}
