import type { OpenApiDocument } from "@florin/contract/openapi.ts";
import { mapInTimeSlices } from "../../core/time-slices.ts";
import { declines, errors } from "./api-codes.ts";
import { webhooks } from "./api-event-types.ts";
import { introduction } from "./api-introduction.ts";
import { objects } from "./api-objects.ts";
import { resourcePage } from "./api-operations.ts";
import { cards, type ReferenceTestCard } from "./api-test-cards.ts";
import type { DocsPage } from "./docs-page.ts";

/**
 * Returns the pages of the API reference, which are rendered from the OpenAPI document. Renders them in time slices,
 * because all of them take a few hundred milliseconds.
 */
export function apiPages(
  document: OpenApiDocument,
  testCards: readonly ReferenceTestCard[],
): Promise<DocsPage[]> {
  const resources = document.tags.filter(({ name }) => name !== "webhooks");
  const renders: (() => DocsPage)[] = [
    () => introduction(document),
    ...resources.map(
      ({ name, description }) =>
        () =>
          resourcePage(document, name, description),
    ),
    () => webhooks(document),
    () => objects(document),
    () => errors(document),
    () => declines(document),
    ...(testCards.length > 0 ? [() => cards(testCards)] : []),
  ];
  return mapInTimeSlices(renders, (render) => render());
}
