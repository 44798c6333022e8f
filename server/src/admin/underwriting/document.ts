import type { ApplicationDocument, DocumentKind } from "@florin/contract/application.ts";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type AccountId, createdAt, type DocumentId } from "../../core/ids.ts";

/** An uploaded document without its content. */
export type StoredDocument = {
  readonly account: AccountId;
  readonly id: DocumentId;
  readonly kind: DocumentKind;
  readonly fileName: string;
  readonly mediaType: DocumentMediaType;
  readonly size: number;
};

export function documentObject(document: StoredDocument): ApplicationDocument {
  return {
    id: document.id,
    object: "application_document",
    created: unixSeconds(createdAt(document.id)),
    kind: document.kind,
    file_name: document.fileName,
    media_type: document.mediaType,
    size: document.size,
  };
}
