import type { EmailLink } from "@florin/contract/person.ts";
import { auth } from "../api/auth.ts";
import { queries } from "../api/query-client.ts";
import { useAuthOperation } from "../api/use-auth.ts";
import { countryOptions } from "../components/country-names.ts";
import { SelectField, TextField } from "../components/field.tsx";
import { Form, textOf } from "../components/form.tsx";
import { AppLink } from "../components/link.tsx";
import { NewPasswordField } from "../components/new-password-field.tsx";
import { ReadEmailLink } from "../components/read-email-link.tsx";
import { useLinkToken } from "../shell/link-token.ts";
import { PlainPage } from "../shell/plain-page.tsx";
import { RequestEmailForm } from "./request-email-form.tsx";

export function SignUpPage() {
  const token = useLinkToken();
  if (token) {
    return (
      <PlainPage title="Set up your account">
        <ReadEmailLink token={token} purpose="sign_up">
          {(link) => <CompleteForm token={token} link={link} />}
        </ReadEmailLink>
      </PlainPage>
    );
  }
  return (
    <PlainPage
      title="Sign up"
      lead="Try everything in test mode now, without a card or a contract."
    >
      <RequestEmailForm to="/sign_up" submit="Continue" />
      <p className="mt-8 text-sm text-ink-soft">
        Already have an account?{" "}
        <AppLink to="/sign-in" className="link underline">
          Sign in
        </AppLink>
      </p>
    </PlainPage>
  );
}

function CompleteForm({ token, link }: { token: string; link: EmailLink }) {
  const operation = useAuthOperation(async (chosen: object) => {
    await auth.post("/sign_up/complete", { token, ...chosen });
    queries.clear();
    location.assign("/dashboard");
  });
  return (
    <Form
      submit="Create account"
      wide
      busy={operation.pending}
      problem={operation.problem}
      onSubmit={(form) =>
        void operation.run({
          name: textOf(form, "name"),
          password: String(form.get("password") ?? ""),
          merchant_name: textOf(form, "merchant_name"),
          country: textOf(form, "country"),
        })
      }
    >
      <TextField
        name="email"
        label="Email address"
        value={link.email ?? ""}
        autoComplete="username"
        readOnly
      />
      <TextField name="name" label="Your name" autoComplete="name" autoFocus />
      <NewPasswordField />
      <TextField
        name="merchant_name"
        label="Business name"
        hint="The name your customers know you by. You can change it later."
        autoComplete="organization"
      />
      <SelectField
        name="country"
        label="Business country"
        choices={countryOptions(merchantCountries)}
        defaultValue={likelyCountry()}
        autoComplete="country"
      />
    </Form>
  );
}

/** The countries in which merchants can be registered. */
const merchantCountries =
  "AE AR AT AU BE BG BR CA CH CL CO CY CZ DE DK EE ES FI FR GB GR HK HR HU IE IL IN IS IT JP KR LI LT LU LV MT MX MY NL NO NZ PE PL PT RO SE SG SI SK TH TR TW US UY ZA".split(
    " ",
  );

/** Returns the country of the browser's language setting. */
function likelyCountry(): string {
  const region = new Intl.Locale(navigator.language).maximize().region ?? "";
  return merchantCountries.includes(region) ? region : "US";
}
