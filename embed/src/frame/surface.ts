/** The place where the card form is shown: Florin's page after a redirect, or a frame on the shop's page. */
export type Surface = "page" | "frame";
