import {
  AcceptInvitation,
  InvitationPreview,
  Joined,
  ReadInvitation,
  SignUpByInvitation,
} from "@florin/contract/team.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { created, ok } from "../../platform/http/route.ts";
import type { Member } from "../accounts/member.ts";
import { markBrowser } from "../people/known-browser.ts";
import type { SignedIn } from "../people/session.ts";
import {
  type AcceptDeps,
  acceptInvitation,
  readOpenInvitation,
  signUpByInvitation,
} from "./accept-invitation.ts";

/** Routes for the holder of an invitation link, signed in or not. */
export function invitedRoutes(deps: AcceptDeps): BrowserRoute<null>[] {
  const route = browserRoute<null>();
  return [
    route({
      method: "POST",
      path: "/invitations/read",
      body: ReadInvitation,
      response: InvitationPreview,
      async handle({ body }) {
        const { email, role, accountName, inviterName, isKnown } = await readOpenInvitation(
          deps,
          body.token,
        );
        const preview: InvitationPreview = {
          object: "invitation",
          email,
          role,
          account_name: accountName,
          invited_by: inviterName,
          is_known: isKnown,
        };
        return ok(preview);
      },
    }),
    route({
      method: "POST",
      path: "/invitations/sign_up",
      body: SignUpByInvitation,
      response: Joined,
      async handle({ body, ip, userAgent, cookies }) {
        const joining = await signUpByInvitation(deps, body, { ip, userAgent });
        const { member, cookie, email } = joining;
        const known = await markBrowser(deps.secrets, cookies, email);
        return { ...created(joined(member)), cookie: [cookie, ...known] };
      },
    }),
  ];
}

/** Routes for people who are signed in. */
export function acceptRoutes(deps: AcceptDeps): BrowserRoute<SignedIn>[] {
  const route = browserRoute<SignedIn>();
  return [
    route({
      method: "POST",
      path: "/invitations/accept",
      body: AcceptInvitation,
      response: Joined,
      handle: async ({ body, caller, ip }) =>
        created(joined(await acceptInvitation(deps, body.token, caller, ip))),
    }),
  ];
}

/** Returns the joined account, to which the dashboard switches. */
function joined({ account, role }: Member) {
  return { object: "membership", account_id: account, role };
}
