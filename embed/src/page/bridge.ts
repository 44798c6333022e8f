import { type FrameMessage, type PageMessage, protocolVersion } from "../protocol/message.ts";
import { isHello, parseFrameMessage } from "../protocol/parse-message.ts";

/** The loader's end of the bridge to one frame. `protocol/message.ts` explains the protocol. */
export type Bridge = {
  send(message: PageMessage): void;
  close(): void;
};

export type BridgeEvents = {
  connected(): void;
  received(message: FrameMessage): void;
};

/** Waits for the frame's `hello`, sends it a port, and emits the messages from that port. */
export function createBridge(
  frame: HTMLIFrameElement,
  origin: string,
  events: BridgeEvents,
): Bridge {
  let port: MessagePort | null = null;

  const greet = (event: MessageEvent): void => {
    const peer = frame.contentWindow;
    // Check the source, the shape and the origin. Any message that fails a check does not belong to this bridge.
    if (!peer || event.source !== peer || !isHello(event.data) || event.origin !== origin) return;
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data }) => {
      const message = parseFrameMessage(data);
      if (message) events.received(message);
    };
    peer.postMessage({ florin: protocolVersion, type: "port" }, origin, [channel.port2]);
    events.connected();
  };

  addEventListener("message", greet);
  return {
    send: (message) => port?.postMessage(message),
    close() {
      removeEventListener("message", greet);
      port?.close();
      port = null;
    },
  };
}
