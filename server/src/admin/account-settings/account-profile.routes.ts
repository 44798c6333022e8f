import { Account } from "@florin/contract/account.ts";
import {
  logoLimits,
  logoMediaTypes,
  UpdateAccountProfile,
} from "@florin/contract/account-profile.ts";
import { contrastOf, minButtonContrast } from "@florin/contract/color-contrast.ts";
import { ApiError } from "../../core/api-error.ts";
import { deleteLogo, writeLogo } from "../../identity/accounts/logo.sql.ts";
import { type Route, route, uploadRoute } from "../../platform/http/route.ts";
import type { AccountSettingsDeps } from "./account-settings.routes.ts";
import { editProfile, type ProfileChange } from "./edit-profile.ts";
import { readLogoFile } from "./logo.ts";

/** Serves the endpoints that change what customers see of a merchant. Both modes share these settings. */
export function accountProfileRoutes(deps: AccountSettingsDeps): Route[] {
  return [
    route({
      method: "POST",
      path: "/account/profile",
      summary: "Update what customers see of your business",
      permission: "account:write",
      changesBothModes: true,
      // Requires a step-up, because customers trust the name and write to the email address.
      stepUp: true,
      body: UpdateAccountProfile,
      response: Account,
      status: 200,
      handle: (request) => editProfile(deps, request, changeIn(request.body)),
    }),
    uploadRoute({
      method: "POST",
      path: "/account/logo",
      summary: "Upload your logo",
      permission: "account:write",
      peopleOnly: true,
      changesBothModes: true,
      upload: { mediaTypes: logoMediaTypes, maxBytes: logoLimits.maxBytes },
      response: Account,
      status: 200,
      async handle(request) {
        const logo = readLogoFile(request.body);
        return editProfile(deps, request, { logo: logo.fileName }, (tx) =>
          writeLogo(tx, request.scope.account, logo),
        );
      },
    }),
    route({
      method: "DELETE",
      path: "/account/logo",
      summary: "Delete your logo",
      permission: "account:write",
      peopleOnly: true,
      changesBothModes: true,
      response: Account,
      status: 200,
      handle: (request) =>
        editProfile(deps, request, { logo: null }, (tx) => deleteLogo(tx, request.scope.account)),
    }),
  ];
}

function changeIn(body: UpdateAccountProfile): ProfileChange {
  const { brand_color, background_color } = body;
  if (brand_color) assertVisible(brand_color);
  return {
    ...(body.name !== undefined && { name: body.name.trim() }),
    ...(body.support_email !== undefined && { supportEmail: body.support_email }),
    ...(body.support_phone !== undefined && { supportPhone: body.support_phone }),
    ...(body.statement_descriptor !== undefined && {
      statementDescriptor: body.statement_descriptor,
    }),
    ...(body.time_zone !== undefined && { timeZone: body.time_zone }),
    ...(brand_color !== undefined && { brandColor: brand_color?.toLowerCase() ?? null }),
    ...(background_color !== undefined && {
      backgroundColor: background_color?.toLowerCase() ?? null,
    }),
  };
}

/** Rejects a button color that is hard to see on the white surface of the card form. */
function assertVisible(color: string): void {
  const contrast = contrastOf(color, "#ffffff");
  if (contrast >= minButtonContrast) return;
  // Rounds down, so that the message never shows a sufficient contrast.
  const shown = Math.floor(contrast * 10) / 10;
  throw new ApiError(
    "parameter_invalid",
    `\`brand_color\` must have a contrast of at least ${minButtonContrast}:1 with white. Got ${shown}:1. Send a darker color.`,
    { param: "brand_color" },
  );
}
