import type { Language } from "./choose-locale.ts";

export type NoConnectionWords = {
  readonly title: string;
  readonly text: string;
  readonly retry: string;
};

/**
 * The messages for a failed load, in every language. They are part of the script, because the dictionary itself may
 * have failed to load. They do not mention whether the customer was charged, because the script does not have this
 * information.
 */
export const noConnectionWords: Readonly<Record<Language, NoConnectionWords>> = {
  ar: {
    title: "لا يوجد اتصال",
    text: "تعذر الوصول إلى خدمة الدفع الآن. تحقق من اتصالك، أو حاول مرة أخرى بعد قليل.",
    retry: "حاول مرة أخرى",
  },
  de: {
    title: "Keine Verbindung",
    text: "Der Zahlungsdienst ist gerade nicht erreichbar. Prüfen Sie Ihre Verbindung, oder versuchen Sie es gleich noch einmal.",
    retry: "Noch einmal versuchen",
  },
  en: {
    title: "No connection",
    text: "The payment service cannot be reached right now. Check your connection, or try again in a moment.",
    retry: "Try again",
  },
  es: {
    title: "Sin conexión",
    text: "No se puede acceder al servicio de pago ahora. Revisa tu conexión o inténtalo de nuevo en un momento.",
    retry: "Intentar de nuevo",
  },
  fr: {
    title: "Pas de connexion",
    text: "Le service de paiement est injoignable pour l’instant. Vérifiez votre connexion ou réessayez dans un instant.",
    retry: "Réessayer",
  },
  he: {
    title: "אין חיבור",
    text: "שירות התשלומים אינו זמין כעת. נא לבדוק את החיבור, או לנסות שוב בעוד רגע.",
    retry: "ניסיון נוסף",
  },
  it: {
    title: "Nessuna connessione",
    text: "Il servizio di pagamento non è raggiungibile ora. Controlla la connessione o riprova tra poco.",
    retry: "Riprova",
  },
  ja: {
    title: "接続できません",
    text: "決済サービスに接続できません。通信状況をご確認のうえ、しばらくしてからもう一度お試しください。",
    retry: "もう一度試す",
  },
  nl: {
    title: "Geen verbinding",
    text: "De betaaldienst is nu niet bereikbaar. Controleer je verbinding, of probeer het zo opnieuw.",
    retry: "Opnieuw proberen",
  },
  pl: {
    title: "Brak połączenia",
    text: "Usługa płatnicza jest teraz niedostępna. Sprawdź połączenie albo spróbuj ponownie za chwilę.",
    retry: "Spróbuj ponownie",
  },
  pt: {
    title: "Sem conexão",
    text: "O serviço de pagamento está inacessível agora. Verifique sua conexão ou tente de novo em instantes.",
    retry: "Tentar de novo",
  },
  zh: {
    title: "没有连接",
    text: "暂时无法连接支付服务。请检查网络，或稍后再试。",
    retry: "重试",
  },
};
