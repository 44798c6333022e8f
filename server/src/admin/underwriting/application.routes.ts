import {
  Application,
  ApplicationDocument,
  ApplicationState,
  DocumentDeleted,
  maxDocumentBytes,
  type SectionName,
  sectionNames,
  sectionSchemas,
  UploadDocument,
} from "@florin/contract/application.ts";
import { documentMediaTypes } from "@florin/contract/document-media-types.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { noSuch } from "../../core/api-error.ts";
import { parseId } from "../../core/ids.ts";
import { ok, type Route, route, uploadRoute } from "../../platform/http/route.ts";
import { applicationObject } from "./application-object.ts";
import { removeDocument, saveSection, uploadDocument } from "./edit-application.ts";
import { readWholeApplication } from "./read-application.ts";
import type { Section } from "./sections.ts";
import { submitApplication } from "./submit-application.ts";
import type { UnderwritingDeps } from "./underwriting-deps.ts";

const summaries = {
  business: "Update the business section",
  people: "Update the people section",
  bank_account: "Update the bank account section",
  products: "Update the products section",
  website: "Update the website section",
} as const satisfies Record<SectionName, string>;

/** Serves an account's application for live mode, which is saved section by section. Both modes share it. */
export function applicationRoutes(deps: UnderwritingDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/application",
      summary: "Retrieve your application for live mode",
      permission: "application:read",
      response: Application,
      status: 200,
      async handle({ scope }) {
        return ok(applicationObject(await readWholeApplication(deps, scope.account)));
      },
    }),
    ...sectionNames.map((name) =>
      route({
        method: "POST",
        path: `/application/${name}`,
        summary: summaries[name],
        permission: "application:write",
        changesBothModes: true,
        // Requires a step-up, because payouts go to this bank account.
        ...(name === "bank_account" && { stepUp: true as const }),
        body: sectionSchemas[name],
        response: ApplicationState,
        status: 200,
        // The schema of this section has validated the content.
        handle: (request) => saveSection(deps, request, { name, content: request.body } as Section),
      }),
    ),
    uploadRoute({
      method: "POST",
      path: "/application/documents",
      summary: "Upload a document",
      permission: "application:write",
      changesBothModes: true,
      query: UploadDocument,
      upload: { mediaTypes: documentMediaTypes, maxBytes: maxDocumentBytes },
      response: ApplicationDocument,
      status: 201,
      handle: (request) => uploadDocument(deps, request),
    }),
    route({
      method: "DELETE",
      path: "/application/documents/:id",
      summary: "Delete a document",
      permission: "application:write",
      changesBothModes: true,
      response: DocumentDeleted,
      status: 200,
      handle(request) {
        const text = request.params.id as string;
        const id = parseId("doc", text);
        if (!id) throw noSuch("document", text);
        return removeDocument(deps, request, id);
      },
    }),
    route({
      method: "POST",
      path: "/application/submit",
      summary: "Submit your application",
      permission: "application:write",
      changesBothModes: true,
      body: NoParameters,
      response: ApplicationState,
      status: 200,
      handle: (request) => submitApplication(deps, request),
    }),
  ];
}
