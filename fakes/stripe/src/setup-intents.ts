import { randomBytes } from "node:crypto";
import { objectOf, textOf, textsOf } from "./form.ts";
import { authenticationPath, cardOf, requireExternalFields } from "./payment-intents.ts";
import type { Platform } from "./platform.ts";
import type { SetupIntent } from "./records.ts";
import { errorFields, renderSetupIntent } from "./render.ts";
import type { Context } from "./request-context.ts";
import { invalid, missing, noSuch, StripeError } from "./stripe-error.ts";

/*
 * SetupIntents, which verify a card and move no money (docs.stripe.com/payments/setup-intents). The fake requires one
 * request that both creates and confirms the SetupIntent.
 */

export function findSetupIntent({ platform, account }: Context, id: string): SetupIntent {
  const intent = platform.setupIntents.get(id);
  if (!intent || intent.account !== account.id) throw noSuch("setupintent", id, "intent");
  return intent;
}

/** Renders a SetupIntent. `expand[]=latest_attempt` includes the attempt with the card. */
export function setupIntentObject(
  { platform, account, params }: Pick<Context, "platform" | "account" | "params">,
  intent: SetupIntent,
): object {
  const expands = Object.values(textsOf(objectOf(params, "expand"))).includes("latest_attempt");
  const url = intent.redirect && `${platform.baseUrl}${authenticationPath}${intent.redirect.token}`;
  return renderSetupIntent(intent, account.livemode, expands, url);
}

export function createSetupIntent(context: Context): object {
  const { platform, account, params } = context;
  if ("payment_method_types" in params) {
    const name = "payment_method_types";
    throw invalid(`Received unknown parameter: ${name}`, name, "parameter_unknown");
  }
  if (textOf(params, "confirm") !== "true") throw missing("confirm");
  const card = cardOf(platform, params);
  if (card === null) throw missing("payment_method_data");
  if (card instanceof StripeError) throw card;
  const options = objectOf(objectOf(params, "payment_method_options"), "card");
  const external = objectOf(options, "three_d_secure");
  if (external) requireExternalFields(external);
  const id = platform.newId("seti");
  const intent = platform.put<SetupIntent>(platform.setupIntents, {
    id,
    account: account.id,
    attempt: platform.newId("setatt"),
    metadata: textsOf(objectOf(params, "metadata")),
    usage: textOf(params, "usage") ?? "off_session",
    clientSecret: `${id}_secret_${randomBytes(12).toString("hex")}`,
    created: platform.nowSeconds(),
    status: "requires_payment_method",
    card,
    isAuthenticated: external !== null,
    lastSetupError: null,
    redirect: null,
  });
  const isRequested = ["any", "challenge"].includes(
    textOf(options, "request_three_d_secure") ?? "automatic",
  );
  const needsAuthentication = isRequested || card.behavior.authentication !== "none";
  if (external === null && needsAuthentication) return redirect(context, intent);
  return decide(context, intent);
}

function redirect(context: Context, intent: SetupIntent): object {
  const { platform, params } = context;
  const returnUrl = textOf(params, "return_url");
  if (returnUrl === null) {
    throw declined(context, intent, {
      code: "authentication_required",
      declineCode: "authentication_required",
      networkDeclineCode: null,
      message: "Your card was declined. This transaction requires authentication.",
    });
  }
  const redirected = platform.put<SetupIntent>(platform.setupIntents, {
    ...intent,
    status: "requires_action",
    redirect: { token: `${intent.id}_${randomBytes(12).toString("hex")}`, returnUrl },
  });
  emit(context, "setup_intent.requires_action", redirected);
  return setupIntentObject(context, redirected);
}

/** Applies the issuer's decision. */
function decide(context: Context, intent: SetupIntent): object {
  const { decline } = intent.card.behavior;
  if (decline) {
    throw declined(context, intent, { ...decline, message: "Your card was declined." });
  }
  const { platform } = context;
  const succeeded = platform.put<SetupIntent>(platform.setupIntents, {
    ...intent,
    status: "succeeded",
    redirect: null,
  });
  emit(context, "setup_intent.succeeded", succeeded);
  return setupIntentObject(context, succeeded);
}

type Declined = {
  readonly code: string;
  readonly declineCode: string | null;
  readonly networkDeclineCode: string | null;
  readonly message: string;
};

function declined(context: Context, intent: SetupIntent, error: Declined): StripeError {
  const lastSetupError = { ...error, networkAdviceCode: null, adviceCode: null, charge: null };
  const failed = context.platform.put<SetupIntent>(context.platform.setupIntents, {
    ...intent,
    status: "requires_payment_method",
    redirect: null,
    lastSetupError,
  });
  emit(context, "setup_intent.setup_failed", failed);
  const setup_intent = setupIntentObject(context, failed);
  const fields = { ...errorFields(lastSetupError), setup_intent };
  return new StripeError(402, "card_error", error.message, fields, true);
}

function emit(context: Context, type: string, intent: SetupIntent): void {
  const { platform, account, eventFault } = context;
  platform.emit(
    account.id,
    type,
    setupIntentObject({ ...context, params: {} }, intent),
    eventFault,
  );
}

/** Returns the SetupIntent whose cardholder is on the page with this token. */
export function redirectedSetup(platform: Platform, token: string): SetupIntent | null {
  const intent = platform.setupIntents.get(token.split("_").slice(0, 2).join("_"));
  return intent?.redirect?.token === token ? intent : null;
}

/**
 * Records the cardholder's choice and returns the return URL. Stripe completes the SetupIntent immediately, without
 * another confirmation.
 */
export function chooseSetupOutcome(
  platform: Platform,
  intent: SetupIntent,
  form: string,
): string | null {
  const choice = new URLSearchParams(form).get("outcome");
  if (intent.redirect === null || (choice !== "authenticate" && choice !== "fail")) return null;
  const url = new URL(intent.redirect.returnUrl);
  url.searchParams.set("setup_intent", intent.id);
  url.searchParams.set("setup_intent_client_secret", intent.clientSecret);
  const isDone = choice === "authenticate";
  url.searchParams.set("redirect_status", isDone ? "succeeded" : "failed");
  const account = platform.account(intent.account);
  const context: Context = { platform, account, params: {}, eventFault: null };
  try {
    if (isDone) decide(context, { ...intent, isAuthenticated: true });
    else {
      declined(context, intent, {
        code: "setup_intent_authentication_failure",
        declineCode: null,
        networkDeclineCode: null,
        message: "The provided PaymentMethod has failed authentication.",
      });
    }
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
  }
  return url.href;
}
