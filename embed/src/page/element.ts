import { mount } from "./mount.ts";
import type { Appearance, LiveOptions, Mounted, MountOptions } from "./options.ts";

const observed = ["embed-url", "locale", "pay-button", "theme"] as const;

/**
 * `<florin-checkout embed-url="…" locale="de" theme="night" pay-button="hidden">`. What it says comes as `florin:…`
 * events; further looks are given by its `appearance` property.
 */
export class FlorinCheckout extends HTMLElement {
  static readonly observedAttributes = observed;
  #mounted: Mounted | null = null;
  #appearance: Appearance = {};

  set appearance(appearance: Appearance) {
    this.#appearance = appearance;
    this.#refresh();
  }

  connectedCallback(): void {
    this.style.display ||= "block";
    this.#refresh();
  }

  disconnectedCallback(): void {
    this.#mounted?.destroy();
    this.#mounted = null;
  }

  attributeChangedCallback(): void {
    this.#refresh();
  }

  submit(): void {
    this.#mounted?.submit();
  }

  #refresh(): void {
    const { embedUrl, ...live } = this.#options();
    if (embedUrl && this.isConnected) this.#mounted = mount(this, { embedUrl, ...live });
  }

  #options(): MountOptions {
    return optionsFrom((name) => this.getAttribute(name), this.#appearance);
  }
}

/** Options as attributes write them, on the element and on the script tag. */
export function optionsFrom(
  read: (name: (typeof observed)[number]) => string | null | undefined,
  appearance: Appearance = {},
): LiveOptions & { embedUrl?: string } {
  const [embedUrl, locale, payButton, theme] = observed.map((name) => read(name) ?? undefined);
  return {
    ...(embedUrl && { embedUrl }),
    locale,
    payButton: payButton === "hidden" ? payButton : undefined,
    appearance: theme ? { theme, ...appearance } : appearance,
  };
}
