import { mount } from "./mount.ts";
import type { Appearance, Mounted, MountOptions } from "./options.ts";

const observed = ["embed-url", "locale", "pay-button", "theme"] as const;

/**
 * The custom element `<florin-checkout embed-url="…" locale="de" theme="night" pay-button="hidden">`. It dispatches
 * `florin:…` events. Its `appearance` property sets the other appearance tokens.
 */
export class FlorinCheckout extends HTMLElement {
  static readonly observedAttributes = observed;
  #mounted: Mounted | null = null;
  #appearance: Appearance;

  constructor() {
    super();
    // If a property was set before the element was defined, it hides the setter. Delete the property and set it again.
    const { appearance } = this;
    Reflect.deleteProperty(this, "appearance");
    this.#appearance = appearance ?? {};
  }

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
    const options = optionsFrom((name) => this.getAttribute(name), this.#appearance);
    if (options.embedUrl && this.isConnected) this.#mounted = mount(this, options);
  }
}

/** Returns the mount options from the attributes of the element or the script tag. */
export function optionsFrom(
  read: (name: (typeof observed)[number]) => string | null | undefined,
  appearance: Appearance = {},
): MountOptions {
  const [embedUrl, locale, payButton, theme] = observed.map((name) => read(name) ?? undefined);
  return {
    embedUrl,
    locale,
    payButton: payButton === "hidden" ? payButton : undefined,
    appearance: { ...(theme && { theme }), ...appearance },
  };
}
