import type { FastifyInstance } from "fastify";
import { serveDoor } from "../../platform/http/door.ts";
import type { Route } from "../../platform/http/route.ts";
import { authPrefix, type People, publicDoor, signedInDoor } from "../people/open-people.ts";
import { acceptRoutes, invitedRoutes } from "./accept-invitation.routes.ts";
import { invitationRoutes } from "./invitation.routes.ts";
import { memberRoutes, type TeamDeps } from "./member.routes.ts";

/** The routes for teams: those of the API, and those for accepting invitations. */
export type Team = { readonly routes: readonly Route[]; serve(http: FastifyInstance): void };

export function openTeam({
  people,
  canMail,
  ...deps
}: TeamDeps & { readonly people: People; readonly canMail: boolean }): Team {
  const { browserAddress, guard, passwords, secrets, admitAnyone, admitSignedIn } = people;
  const accepting = { ...deps, guard, passwords, secrets };
  return {
    routes: [...memberRoutes(deps), ...invitationRoutes({ ...deps, browserAddress, canMail })],
    serve(http) {
      const prefix = authPrefix;
      serveDoor(http, {
        prefix,
        access: publicDoor,
        admit: admitAnyone,
        routes: invitedRoutes(accepting),
      });
      serveDoor(http, {
        prefix,
        access: signedInDoor,
        admit: admitSignedIn,
        routes: acceptRoutes(accepting),
      });
    },
  };
}
