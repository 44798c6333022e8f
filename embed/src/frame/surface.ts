/** The place of the card form: Florin's page after a redirect, or a frame on the shop's page. */
export type Surface = "page" | "frame";
