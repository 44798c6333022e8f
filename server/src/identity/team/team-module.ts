import type { FastifyInstance } from "fastify";
import { serveBrowserRoutes } from "../../platform/http/browser-routes.ts";
import type { Route } from "../../platform/http/route.ts";
import {
  authPrefix,
  type PeopleModule,
  publicAccess,
  signedInAccess,
} from "../people/people-module.ts";
import { acceptRoutes, invitedRoutes } from "./accept-invitation.routes.ts";
import { invitationRoutes } from "./invitation.routes.ts";
import { memberRoutes, type TeamDeps } from "./member.routes.ts";

/** The routes for teams: those of the API, and those for accepting invitations. */
export type TeamModule = { readonly routes: readonly Route[]; serve(http: FastifyInstance): void };

export function createTeamModule({
  people,
  canMail,
  ...deps
}: TeamDeps & { readonly people: PeopleModule; readonly canMail: boolean }): TeamModule {
  const { browserAddress, guard, passwords, secrets, admitAnyone, admitSignedIn } = people;
  const accepting = { ...deps, guard, passwords, secrets };
  return {
    routes: [...memberRoutes(deps), ...invitationRoutes({ ...deps, browserAddress, canMail })],
    serve(http) {
      const prefix = authPrefix;
      serveBrowserRoutes(http, {
        prefix,
        access: publicAccess,
        admit: admitAnyone,
        routes: invitedRoutes(accepting),
      });
      serveBrowserRoutes(http, {
        prefix,
        access: signedInAccess,
        admit: admitSignedIn,
        routes: acceptRoutes(accepting),
      });
    },
  };
}
