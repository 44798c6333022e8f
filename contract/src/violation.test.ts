import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import { CreateCharge, ListCharges, UpdateCharge } from "./charge.ts";
import { CreateCheckoutSession } from "./checkout-session.ts";
import { CreateDecision } from "./decision.ts";
import { SubmitEvidence } from "./dispute.ts";
import { type ErrorCode, errorCodes } from "./errors.ts";
import { ConfirmSession, StoreCard } from "./frame.ts";
import { CompleteSignUp } from "./person.ts";
import { checkOf, findViolation } from "./violation.ts";
import {
  CreateWebhookEndpoint,
  RollWebhookSecret,
  UpdateWebhookEndpoint,
} from "./webhook-endpoint.ts";

const charge = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const session = { amount: 4200, currency: "eur" };
const signUp = { token: "t".repeat(43), name: "Ada", password: "correct horse", country: "DE" };

/** Parses the text. In parsed JSON, `__proto__` is a property. In an object literal, it would set the prototype. */
const json = (text: string): unknown => JSON.parse(text);

/** Returns the text with escape sequences for all characters that could change how a terminal shows a title. */
const printable = (text: string) =>
  text.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

test("a repeated entry of a list without duplicates is named", () => {
  const violation = checkOf(SubmitEvidence)({ files: ["file_1", "file_2", "file_1"] });
  assert.deepEqual(violation, {
    code: "parameter_invalid",
    param: "files[2]",
    message: "`files[2]` must not repeat an earlier entry. Remove the entry.",
  });
});

test("valid requests have no violation", () => {
  const right: [TSchema, unknown][] = [
    [CreateCharge, charge],
    [CreateCharge, { ...charge, amount: 50 }],
    [CreateCharge, { ...charge, amount: 999_999_999_999 }],
    [CreateCharge, { ...charge, metadata: { order: "1234", note: "" }, description: "🎂" }],
    [
      CreateCharge,
      {
        ...charge,
        statement_descriptor: "FLORIN SHOP",
        return_url: "https://shop.example/x?y=1#z",
      },
    ],
    // A text in Arabic can begin with the right-to-left mark, U+200F.
    [CreateCharge, { ...charge, statement_descriptor: "\u200fمتجر الكتب" }],
    // A name may contain invisible characters, such as the joiner of Persian and of emoji.
    [CompleteSignUp, { ...signUp, merchant_name: "\u200fکتاب\u200cها 👩\u200d🔧" }],
    [UpdateCharge, { description: null, metadata: { order: null } }],
    [UpdateCharge, undefined],
    [
      CreateCheckoutSession,
      {
        ...session,
        allowed_origins: ["https://shop.example", "http://localhost:*", "http://[::1]:3000"],
      },
    ],
    [
      CreateCheckoutSession,
      { currency: "usd", line_items: [{ name: "Tea", quantity: 2, amount: 450 }] },
    ],
    [
      CreateCheckoutSession,
      { ...session, billing_details: { address: { country: "DE" } }, locale: "pt-BR" },
    ],
    [CreateWebhookEndpoint, { url: "https://shop.example/hooks", enabled_events: ["*"] }],
    [ListCharges, { limit: 100, created: { gte: 1 } }],
    ...["192.0.2.1", "0.0.0.0", "2001:DB8::1", "::ffff:192.0.2.1", "::"].map(
      (ip): [TSchema, unknown] => [CreateDecision, { ...charge, ip }],
    ),
  ];
  for (const [schema, value] of right) assert.equal(checkOf(schema)(value), null);
});

type Wrong = [what: string, TSchema, unknown, ErrorCode, param: string];

const wrong: Wrong[] = [
  [
    "a bound that is not a number",
    ListCharges,
    { created: { gte: "now" } },
    "parameter_invalid_integer",
    "created[gte]",
  ],
  [
    "an unknown bound",
    ListCharges,
    { created: { after: 1 } },
    "parameter_unknown",
    "created[after]",
  ],
  ["a page of 101", ListCharges, { limit: 101 }, "parameter_invalid", "limit"],
  ["a missing body", CreateCharge, undefined, "parameter_missing", "amount"],
  ["null as the body", CreateCharge, null, "parameter_invalid", "body"],
  ["a list as the body", CreateCharge, [charge], "parameter_invalid", "body"],
  [
    "no currency",
    CreateCharge,
    { amount: 100, payment_method_id: "pm_card_visa" },
    "parameter_missing",
    "currency",
  ],
  ["a misspelled field", CreateCharge, { ...charge, amout: 1 }, "parameter_unknown", "amout"],
  [
    "a field named __proto__",
    CreateCharge,
    json('{"__proto__":{"amount":1},"amount":100}'),
    "parameter_unknown",
    "__proto__",
  ],
  [
    "a field named constructor",
    CreateCharge,
    { ...charge, constructor: 1 },
    "parameter_unknown",
    "constructor",
  ],
  [
    "a field named hasOwnProperty",
    CreateCharge,
    { ...charge, hasOwnProperty: 1 },
    "parameter_unknown",
    "hasOwnProperty",
  ],
  [
    "an amount in quotes",
    CreateCharge,
    { ...charge, amount: "1999" },
    "parameter_invalid_integer",
    "amount",
  ],
  [
    "an amount with a fraction",
    CreateCharge,
    { ...charge, amount: 19.99 },
    "parameter_invalid_integer",
    "amount",
  ],
  [
    "an amount of null",
    CreateCharge,
    { ...charge, amount: null },
    "parameter_invalid_integer",
    "amount",
  ],
  ["an amount of zero", CreateCharge, { ...charge, amount: 0 }, "invalid_charge_amount", "amount"],
  [
    "a negative amount",
    CreateCharge,
    { ...charge, amount: -100 },
    "invalid_charge_amount",
    "amount",
  ],
  [
    "an amount of thirteen digits",
    CreateCharge,
    { ...charge, amount: 1_000_000_000_000 },
    "amount_too_large",
    "amount",
  ],
  [
    "an amount that is not a safe integer",
    CreateCharge,
    { ...charge, amount: 1e300 },
    "amount_too_large",
    "amount",
  ],
  [
    "an empty currency",
    CreateCharge,
    { ...charge, currency: "" },
    "parameter_invalid_string_empty",
    "currency",
  ],
  [
    "a currency that is a number",
    CreateCharge,
    { ...charge, currency: 840 },
    "parameter_invalid",
    "currency",
  ],
  [
    "a blank description",
    CreateCharge,
    { ...charge, description: " \n\t" },
    "parameter_invalid_string_blank",
    "description",
  ],
  [
    "a description of invisible characters",
    CreateCharge,
    { ...charge, description: "\u200b\u2060 \u3164\u{e0041}" },
    "parameter_invalid_string_blank",
    "description",
  ],
  [
    "a statement descriptor of invisible characters",
    CreateCharge,
    { ...charge, statement_descriptor: "\u2800\u200d\u00ad\u200b\u115f" },
    "parameter_invalid_string_blank",
    "statement_descriptor",
  ],
  [
    "the name of a business that is invisible",
    CompleteSignUp,
    { ...signUp, merchant_name: "\u200b\ufeff\u2060" },
    "parameter_invalid_string_blank",
    "merchant_name",
  ],
  [
    "a description of 1001 characters",
    CreateCharge,
    { ...charge, description: "x".repeat(1001) },
    "parameter_invalid",
    "description",
  ],
  [
    "a description with a NUL",
    CreateCharge,
    { ...charge, description: "a\u0000b" },
    "invalid_characters",
    "description",
  ],
  [
    "a description with half a surrogate pair",
    CreateCharge,
    { ...charge, description: "a\ud800b" },
    "invalid_characters",
    "description",
  ],
  [
    "a short statement descriptor",
    CreateCharge,
    { ...charge, statement_descriptor: "FLOR" },
    "parameter_invalid",
    "statement_descriptor",
  ],
  [
    "a statement descriptor with a star",
    CreateCharge,
    { ...charge, statement_descriptor: "FLORIN*SHOP" },
    "invalid_characters",
    "statement_descriptor",
  ],
  [
    "a statement descriptor with a backslash",
    CreateCharge,
    { ...charge, statement_descriptor: "FLORIN\\SHOP" },
    "invalid_characters",
    "statement_descriptor",
  ],
  [
    "an unknown capture method",
    CreateCharge,
    { ...charge, capture_method: "manuel" },
    "parameter_invalid",
    "capture_method",
  ],
  [
    "off_session in quotes",
    CreateCharge,
    { ...charge, off_session: "true" },
    "parameter_invalid",
    "off_session",
  ],
  [
    "a relative return_url",
    CreateCharge,
    { ...charge, return_url: "/thanks" },
    "url_invalid",
    "return_url",
  ],
  [
    "a return_url that runs script",
    CreateCharge,
    { ...charge, return_url: "javascript:alert(1)" },
    "url_invalid",
    "return_url",
  ],
  [
    "a return_url without a host",
    CreateCharge,
    { ...charge, return_url: "https://:80" },
    "url_invalid",
    "return_url",
  ],
  [
    "metadata that is a list",
    CreateCharge,
    { ...charge, metadata: [] },
    "metadata_invalid",
    "metadata",
  ],
  [
    "a number in the metadata",
    CreateCharge,
    { ...charge, metadata: { order: 1234 } },
    "metadata_invalid",
    "metadata.order",
  ],
  [
    "null in new metadata",
    CreateCharge,
    { ...charge, metadata: { order: null } },
    "metadata_invalid",
    "metadata.order",
  ],
  [
    "an object in the metadata under __proto__",
    CreateCharge,
    { ...charge, metadata: json('{"__proto__":{}}') },
    "metadata_invalid",
    "metadata.__proto__",
  ],
  [
    "a metadata key of 41 characters",
    CreateCharge,
    { ...charge, metadata: { ["k".repeat(41)]: "v" } },
    "metadata_invalid",
    `metadata.${"k".repeat(41)}`,
  ],
  [
    "a metadata key in brackets",
    CreateCharge,
    { ...charge, metadata: { "a[b]": "v" } },
    "metadata_invalid",
    "metadata.a[b]",
  ],
  [
    "an empty metadata key",
    CreateCharge,
    { ...charge, metadata: { "": "v" } },
    "metadata_invalid",
    'metadata.""',
  ],
  [
    "a metadata value of 501 characters",
    CreateCharge,
    { ...charge, metadata: { k: "v".repeat(501) } },
    "metadata_invalid",
    "metadata.k",
  ],
  [
    "51 metadata pairs",
    CreateCharge,
    {
      ...charge,
      metadata: Object.fromEntries(Array.from({ length: 51 }, (_, key) => [`k${key}`, "v"])),
    },
    "metadata_invalid",
    "metadata",
  ],
  [
    "a misspelled nested field",
    CreateCheckoutSession,
    { ...session, billing_details: { adress: {} } },
    "parameter_unknown",
    "billing_details.adress",
  ],
  [
    "a misspelled field of a line item",
    CreateCheckoutSession,
    {
      currency: "usd",
      line_items: [
        { name: "Tea", quantity: 1, amount: 450 },
        { name: "Jam", quantity: 1, price: 450 },
      ],
    },
    "parameter_unknown",
    "line_items[1].price",
  ],
  [
    "a line item without an amount",
    CreateCheckoutSession,
    { currency: "usd", line_items: [{ name: "Tea", quantity: 1 }] },
    "parameter_missing",
    "line_items[0].amount",
  ],
  [
    "a fractional quantity",
    CreateCheckoutSession,
    { currency: "usd", line_items: [{ name: "Tea", quantity: 0.5, amount: 450 }] },
    "parameter_invalid_integer",
    "line_items[0].quantity",
  ],
  [
    "an empty list of line items",
    CreateCheckoutSession,
    { ...session, line_items: [] },
    "parameter_invalid_empty",
    "line_items",
  ],
  [
    "line items that are not a list",
    CreateCheckoutSession,
    { ...session, line_items: {} },
    "parameter_invalid",
    "line_items",
  ],
  [
    "an email address without @",
    CreateCheckoutSession,
    { ...session, customer_email: "ada.example.com" },
    "email_invalid",
    "customer_email",
  ],
  [
    "an email address with a line break",
    CreateCheckoutSession,
    { ...session, customer_email: "ada@example.com\nBcc: x" },
    "email_invalid",
    "customer_email",
  ],
  ...[
    "ada@example.com,1.x",
    "ada@example.com;1.x",
    "ada@example.com(1.x)",
    "ada@example.com<1.x>",
    'ada@example.com"1.x"',
    "ada@example.com\u001b.x",
    "ada@mail.example\u3002com",
    "ada@mail.example\uff0ecom",
    "ada@[127.0.0.1]",
    "a\u0001da@example.com",
    "a\u009bda@example.com",
    "a\u200bda@example.com",
    "a\\da@example.com",
  ].map(
    (email): Wrong => [
      `an email address that mail programs read as another one: ${printable(email)}`,
      CreateCheckoutSession,
      { ...session, customer_email: email },
      "email_invalid",
      "customer_email",
    ],
  ),
  ...["\u001b[2J", "\u009b2J", "\u202emoc", "\u2066x"].map(
    (text): Wrong => [
      `a return_url with the control characters ${printable(text)}`,
      CreateCharge,
      { ...charge, return_url: `https://shop.example/${text}` },
      "url_invalid",
      "return_url",
    ],
  ),
  [
    "an origin with a path",
    CreateCheckoutSession,
    { ...session, allowed_origins: ["https://shop.example/"] },
    "url_invalid",
    "allowed_origins[0]",
  ],
  [
    "a wildcard port of a public host",
    CreateCheckoutSession,
    { ...session, allowed_origins: ["https://shop.example:*"] },
    "url_invalid",
    "allowed_origins[0]",
  ],
  [
    "an origin that would inject into a header",
    CreateCheckoutSession,
    { ...session, allowed_origins: ["https://a; script-src *"] },
    "url_invalid",
    "allowed_origins[0]",
  ],
  [
    "a lower-case country",
    CreateCheckoutSession,
    { ...session, billing_details: { address: { country: "de" } } },
    "country_code_invalid",
    "billing_details.address.country",
  ],
  [
    "an unknown country",
    CreateCheckoutSession,
    { ...session, billing_details: { address: { country: "ZZ" } } },
    "country_code_invalid",
    "billing_details.address.country",
  ],
  ...["999.1.1.1", "1.2.3", "010.1.1.1", "abba", "1:2", ":::::", "1.2.3.4:80"].map(
    (ip): [string, TSchema, unknown, ErrorCode, string] => [
      `the network address ${ip}`,
      CreateDecision,
      { ...charge, ip },
      "parameter_invalid",
      "ip",
    ],
  ),
  [
    "a session of one minute",
    CreateCheckoutSession,
    { ...session, expires_in: 60 },
    "parameter_invalid",
    "expires_in",
  ],
  [
    "six attempts",
    CreateCheckoutSession,
    { ...session, max_attempts: 6 },
    "parameter_invalid",
    "max_attempts",
  ],
  [
    "an unknown event",
    CreateWebhookEndpoint,
    { url: "https://shop.example", enabled_events: ["payment.failed"] },
    "parameter_invalid",
    "enabled_events[0]",
  ],
  [
    "an empty list of events",
    UpdateWebhookEndpoint,
    { enabled_events: [] },
    "parameter_invalid_empty",
    "enabled_events",
  ],
];

for (const [what, schema, value, code, param] of wrong) {
  test(`${what} is ${code} at ${param}`, () => {
    const violation = checkOf(schema)(value);
    assert.deepEqual({ code: violation?.code, param: violation?.param }, { code, param });
    assert.equal(errorCodes[code].status, 400);
    assert.match(violation?.message ?? "", /[.?]$/);
  });
}

test("a URL of a webhook endpoint that is not absolute is rejected with an example of such a URL", () => {
  const { message } = checkOf(CreateWebhookEndpoint)({ url: "shop.example" }) ?? assert.fail();
  assert.match(message, /such as `https:\/\/shop\.example\/webhooks`/);
});

test("the error for an empty parameter suggests leaving the parameter out only if it is optional", () => {
  const optional = /, or leave the parameter out\.$/;
  const messageOf = (schema: TSchema, value: unknown) => checkOf(schema)(value)?.message ?? "";
  const item = { name: "", quantity: 1, amount: 450 };
  for (const message of [
    messageOf(CreateCharge, { ...charge, payment_method_id: "" }),
    messageOf(CreateCheckoutSession, { currency: "usd", line_items: [item] }),
    messageOf(CreateCheckoutSession, { ...session, allowed_origins: [""] }),
  ]) {
    assert.match(message, /must not be an empty (string|array)\. (Send|Add) /);
    assert.doesNotMatch(message, optional);
  }
  for (const message of [
    messageOf(CreateCharge, { ...charge, description: "" }),
    messageOf(CreateCharge, { ...charge, description: " " }),
    messageOf(UpdateCharge, { description: "" }),
    messageOf(CreateCheckoutSession, { ...session, line_items: [] }),
    messageOf(UpdateWebhookEndpoint, { enabled_events: [] }),
  ]) {
    assert.match(message, optional);
  }
});

test("an unknown parameter is reported with the closest known name", () => {
  const message = (value: object) => checkOf(CreateCharge)({ ...charge, ...value })?.message ?? "";
  assert.match(message({ amuont: 1 }), /Did you mean `amount`\?/);
  assert.match(message({ payment_metod_id: 1 }), /Did you mean `payment_method_id`\?/);
  assert.match(message({ payment_method: "pm_card_visa" }), /Did you mean `payment_method_id`\?/);
  assert.match(message({ paymentMethod: 1 }), /Did you mean `payment_method_id`\?/);
  assert.match(message({ paymentMethodId: 1 }), /Did you mean `payment_method_id`\?/);
  assert.match(message({ capture_method: "automatik" }), /Did you mean `automatic`\?/);
  assert.doesNotMatch(message({ colour: 1 }), /Did you mean/);
  const events = checkOf(CreateWebhookEndpoint)({
    url: "https://shop.example",
    enabled_events: ["payment.failed"],
  });
  assert.match(events?.message ?? "", /Did you mean `payment_failed`\?/);
  const exact = checkOf(ListCharges)({ created: "1767225600" });
  assert.match(exact?.message ?? "", /`created\[gte\]`/);
});

test("a card number in the wrong field is not repeated in the error", () => {
  const number = "4242424242424242";
  for (const name of [
    "amount",
    "currency",
    "capture_method",
    "return_url",
    "metadata",
    "statement_descriptor",
  ]) {
    const violation = checkOf(CreateCharge)({ ...charge, [name]: `${number}*${number}*${number}` });
    assert.ok(violation, name);
    assert.doesNotMatch(violation.message, /4242/);
  }
  const card = {
    checkout_session_id: "cs_1",
    number: `${number} `,
    exp_month: 1,
    exp_year: 2030,
    cvc: "123",
  };
  assert.doesNotMatch(checkOf(StoreCard)(card)?.message ?? "4242", /4242/);
});

test("a name as long as a body is truncated in the error", () => {
  const violation = checkOf(CreateCharge)({ ...charge, ["x".repeat(60_000)]: 1 });
  assert.equal(violation?.code, "parameter_unknown");
  assert.ok(JSON.stringify(violation).length < 400);
});

const requests = {
  CreateCharge,
  UpdateCharge,
  ListCharges,
  CreateCheckoutSession,
  CreateDecision,
  CreateWebhookEndpoint,
  UpdateWebhookEndpoint,
  RollWebhookSecret,
  StoreCard,
  ConfirmSession,
};

/** Nearly valid values, which a generator of arbitrary JSON would rarely produce. */
const nearby = fc.oneof(
  fc.constantFrom<unknown>(
    "usd",
    "",
    " ",
    "pm_card_visa",
    "https://shop.example",
    "https://[",
    "http://:1",
    "a@b.co",
    "DE",
    "de",
    "manual",
    "always",
    "a\u0000",
    "\ud800",
    "x".repeat(41),
    "x".repeat(1001),
    "4242424242424242",
    "123",
    "FLORIN",
    "*",
    "ping",
    0,
    1,
    49,
    50,
    1800,
    99_999_999,
    1e9,
    0.5,
    -1,
    true,
    null,
    [],
    {},
    ["*"],
    ["ping"],
    ["https://a.example"],
  ),
  fc.record(
    { line1: fc.constantFrom("x", ""), country: fc.constantFrom("DE", "d") },
    { requiredKeys: [] },
  ),
  fc.record({ gte: fc.integer(), lt: fc.string() }, { requiredKeys: [] }),
  fc.array(
    fc.record(
      { name: fc.string(), quantity: fc.integer(), amount: fc.integer() },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
  fc.dictionary(
    fc.string({ maxLength: 42 }),
    fc.oneof(fc.string(), fc.constant(null), fc.integer()),
    { maxKeys: 3 },
  ),
  fc.jsonValue(),
);

for (const [name, schema] of Object.entries(requests)) {
  test(`the card data finder reports exactly the values that the check of ${name} rejects`, () => {
    const compiled = Compile(schema);
    const fields = Object.keys((schema as unknown as { properties: object }).properties);
    const body = fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record(Object.fromEntries(fields.map((field) => [field, nearby])), {
          requiredKeys: [],
        }),
      },
      {
        weight: 1,
        arbitrary: fc.dictionary(
          fc.oneof(fc.constantFrom(...fields, "__proto__", "toString"), fc.string()),
          nearby,
        ),
      },
      { weight: 1, arbitrary: fc.jsonValue() },
    );
    fc.assert(
      fc.property(body, (value) => {
        const violation = findViolation(schema, value);
        assert.equal(violation === null, compiled.Check(value), JSON.stringify(violation));
      }),
      { numRuns: 400 },
    );
  });

  test(`finder and check agree on each field of ${name}`, () => {
    const base = { charge, session }[name === "CreateCharge" ? "charge" : "session"];
    const compiled = Compile(schema);
    for (const field of Object.keys((schema as unknown as { properties: object }).properties)) {
      fc.assert(
        fc.property(nearby, (value) => {
          const body = {
            ...base,
            url: "https://shop.example",
            payment_method_id: "pm_x",
            [field]: value,
          };
          const known = Object.fromEntries(
            Object.entries(body).filter(
              ([key]) => key in (schema as unknown as { properties: object }).properties,
            ),
          );
          assert.equal(findViolation(schema, known) === null, compiled.Check(known));
        }),
        { numRuns: 60 },
      );
    }
  });
}
