import type { FrameMessage, PageMessage } from "../protocol/message.ts";
import { protocolVersion } from "../protocol/message.ts";
import { isPortOffer, parsePageMessage } from "../protocol/parse-message.ts";

/** The frame's end of the bridge. The protocol is explained at the head of `protocol/message.ts`. */
export type Host = {
  /** Whether a loader is there to lay the bank's check over the page. */
  connected(): boolean;
  /** Says hello to the page that frames us, if it may: once per allowed origin, each with that origin as target. */
  greet(allowedOrigins: readonly string[]): void;
  /** Until there is a port the latest of each kind is kept, so that an early end is not lost. */
  tell(message: FrameMessage): void;
};

export type HostEvents = {
  connected(): void;
  received(message: PageMessage): void;
};

export function createHost(page: Window, events: HostEvents): Host {
  let port: MessagePort | null = null;
  const early = new Map<FrameMessage["type"], FrameMessage>();

  return {
    connected: () => port !== null,
    greet(allowedOrigins) {
      // On a page of our own there is nobody to greet.
      if (page === window) return;
      const origins = targetOrigins(allowedOrigins, parentOrigin());
      addEventListener("message", (event) => {
        const [offered] = event.ports;
        if (event.source !== page || !isPortOffer(event.data) || !origins.includes(event.origin))
          return;
        if (!offered || port) return;
        port = offered;
        port.onmessage = ({ data }) => {
          const message = parsePageMessage(data);
          if (message) events.received(message);
        };
        port.postMessage({ type: "ready" });
        for (const message of early.values()) port.postMessage(message);
        early.clear();
        events.connected();
      });
      for (const origin of origins) {
        page.postMessage({ florin: protocolVersion, type: "hello" }, origin);
      }
    },
    tell(message) {
      if (port) port.postMessage(message);
      else if (page !== window) early.set(message.type, message);
    },
  };
}

/**
 * The origins to say hello to. In test mode any port of this machine may be allowed (`http://localhost:*`), and `*` is no
 * target: such a pattern stands for the origin we find ourselves in, if it fits. A wrong guess harms nothing, because the
 * browser delivers only to the true origin.
 */
export function targetOrigins(allowed: readonly string[], parent: string | null): string[] {
  const targets = allowed.flatMap((origin) => {
    if (!origin.endsWith(":*")) return [origin];
    return parent !== null && fitsAnyPort(parent, origin) ? [parent] : [];
  });
  return [...new Set(targets)];
}

function fitsAnyPort(origin: string, pattern: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return `${protocol}//${hostname}:*` === pattern;
}

/** Chromium and Safari tell it outright; elsewhere the loader has asked for the origin as referrer. */
function parentOrigin(): string | null {
  const [parent] = location.ancestorOrigins ?? [];
  if (parent) return parent;
  return URL.canParse(document.referrer) ? new URL(document.referrer).origin : null;
}
