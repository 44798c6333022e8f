import type { FrameMessage, PageMessage } from "../protocol/message.ts";
import { protocolVersion } from "../protocol/message.ts";
import { isPortOffer, parsePageMessage } from "../protocol/parse-message.ts";

/** The frame's end of the bridge to the merchant's page. `protocol/message.ts` explains the protocol. */
export type PageBridge = {
  /** Returns whether a loader is connected. A loader can show the challenge over the page. */
  connected(): boolean;
  /** Posts `hello` to the parent window once per allowed origin, each time with that origin as the target. */
  greet(allowedOrigins: readonly string[]): void;
  /**
   * Sends a message. Before the port is connected, the latest message of each type is queued, so that an early outcome
   * is not lost.
   */
  notifyPage(message: FrameMessage): void;
};

export type PageBridgeEvents = {
  connected(): void;
  received(message: PageMessage): void;
};

export function createPageBridge(page: Window, events: PageBridgeEvents): PageBridge {
  let port: MessagePort | null = null;
  const early = new Map<FrameMessage["type"], FrameMessage>();

  return {
    connected: () => port !== null,
    greet(allowedOrigins) {
      // A top-level page has no parent window.
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
    notifyPage(message) {
      if (port) port.postMessage(message);
      else if (page !== window) early.set(message.type, message);
    },
  };
}

/**
 * Returns the target origins for `hello`. In test mode, any local port may be allowed (`http://localhost:*`). `*` is
 * not valid in a target origin, so a pattern that matches the parent's origin is replaced by that origin, and any other
 * pattern is dropped. A wrong parent origin is harmless, because the browser delivers the message only if the target
 * origin is correct.
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

/**
 * Returns the origin of the parent window, which Chromium and Safari expose. In other browsers, returns the origin of
 * the referrer. The loader limits the referrer to the origin.
 */
function parentOrigin(): string | null {
  const [parent] = location.ancestorOrigins ?? [];
  if (parent) return parent;
  return URL.canParse(document.referrer) ? new URL(document.referrer).origin : null;
}
