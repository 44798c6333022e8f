import { PlainPage } from "../shell/plain-page.tsx";

export function SignInPage() {
  return <PlainPage title="Sign in" />;
}
