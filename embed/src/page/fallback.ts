/** A word or two each, because they are on every page that has the loader. */
const words: Readonly<Record<string, string>> = {
  ar: "صفحة دفع آمنة",
  de: "Sichere Bezahlseite",
  en: "Secure payment page",
  es: "Página de pago segura",
  fr: "Page de paiement sécurisée",
  he: "דף תשלום מאובטח",
  it: "Pagina di pagamento sicura",
  ja: "安全な支払いページ",
  nl: "Veilige betaalpagina",
  pl: "Bezpieczna strona płatności",
  pt: "Página de pagamento segura",
  zh: "安全支付页面",
};

/** Where the form cannot be shown, the customer can still pay: on our own page. */
export function createFallback(
  frame: HTMLElement,
  address: string,
  locale: () => string | undefined,
): { show(): void; hide(): void } {
  let link: HTMLAnchorElement | null = null;
  return {
    show() {
      if (link) return;
      const language = (locale() ?? (document.documentElement.lang || navigator.language)).slice(
        0,
        2,
      );
      link = document.createElement("a");
      link.href = address;
      link.target = "_top";
      link.textContent = words[language] ?? (words.en as string);
      frame.style.display = "none";
      frame.after(link);
    },
    hide() {
      link?.remove();
      link = null;
      frame.style.display = "block";
    },
  };
}
