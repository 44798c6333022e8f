/** The form that `/embed.js` mounts (docs/guides/card-form.md). */
export type CardForm = {
  update(options: FormOptions): void;
  destroy(): void;
};

export type FormOptions = {
  readonly appearance?: Readonly<Record<string, string>>;
  readonly locale?: string;
};

type Mount = (
  element: Element,
  options: FormOptions & {
    readonly embedUrl: string;
    readonly onComplete?: () => void;
    readonly onError?: (detail: { code: string; message: string }) => void;
  },
) => CardForm;

declare global {
  interface Window {
    Florin?: { readonly mount: Mount };
  }
}

const address = "/embed.js";

/** The page's CSP requires Trusted Types, which accept a script URL only from a policy. */
type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
};

let loading: Promise<Mount> | null = null;

/** Loads `/embed.js` once, in the same way as a shop's page. */
export function loadCardForm(): Promise<Mount> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = trusted(address);
    script.onload = () => (window.Florin ? resolve(window.Florin.mount) : reject(failed));
    script.onerror = () => {
      loading = null;
      reject(failed);
    };
    document.head.append(script);
  });
  return loading;
}

const failed = new Error("Could not load the card form. Reload the page to try again.");

function trusted(url: string): string {
  const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return url;
  const policy = trustedTypes.createPolicy("florin-card-form", {
    createScriptURL(url) {
      if (url === address) return url;
      throw new TypeError("The Trusted Types policy allows only /embed.js.");
    },
  });
  return policy.createScriptURL(url);
}
