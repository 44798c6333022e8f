/** The media types of an uploaded document. */
export const documentMediaTypes = ["application/pdf", "image/png", "image/jpeg"] as const;
export type DocumentMediaType = (typeof documentMediaTypes)[number];
