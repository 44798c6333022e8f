/** The link text in each language. The texts are short, because every page with the loader downloads all of them. */
const words: Readonly<Record<string, string>> = {
  ar: "دفع آمن",
  de: "Sichere Zahlung",
  en: "Secure payment",
  es: "Pago seguro",
  fr: "Paiement sécurisé",
  he: "תשלום מאובטח",
  it: "Pagamento sicuro",
  ja: "安全な支払い",
  nl: "Veilige betaling",
  pl: "Bezpieczna płatność",
  pt: "Pagamento seguro",
  zh: "安全支付",
};

/** Creates a link to Florin's page, where the customer can pay if the form cannot be shown. */
export function createFallback(
  frame: HTMLElement,
  address: string,
  locale: () => string | undefined,
): { show(): void; hide(): void } {
  const link = document.createElement("a");
  link.href = address;
  link.target = "_top";
  return {
    show() {
      const language = locale() ?? (document.documentElement.lang || navigator.language);
      link.textContent = words[language.slice(0, 2)] ?? (words.en as string);
      frame.style.display = "none";
      frame.after(link);
    },
    hide() {
      link.remove();
      frame.style.display = "block";
    },
  };
}
