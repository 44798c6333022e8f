/** The texts of the test bank's page. */
export type BankWords = {
  readonly bank: string;
  readonly title: string;
  /** The title of a page for a card that is only saved. */
  readonly cardTitle: string;
  readonly merchant: string;
  readonly amount: string;
  readonly card: string;
  readonly ending: (last4: string) => string;
  /** The text before and after the code. */
  readonly code: readonly [before: string, after: string];
  readonly wrongCode: string;
  readonly codeLabel: string;
  readonly confirm: string;
  readonly cancel: string;
  readonly help: string;
  readonly helpText: string;
  /** The text of a page whose card determines the result. */
  readonly automatic: string;
  readonly next: string;
  readonly toStore: string;
};

/** The languages of the card form. */
const words = {
  en: {
    bank: "Test bank",
    title: "Confirm this payment",
    cardTitle: "Confirm this card",
    merchant: "Merchant",
    amount: "Amount",
    card: "Card",
    ending: (last4) => `Ending in ${last4}`,
    code: [
      "This is a test bank and sends no text message. Enter the code ",
      ". Any other code is rejected.",
    ],
    wrongCode: "The code is incorrect. Please try again.",
    codeLabel: "Verification code",
    confirm: "Confirm",
    cancel: "Cancel",
    help: "Help",
    helpText:
      "We use this code to verify that this card is yours. You can cancel to use another card.",
    automatic: "This test card needs no input. The page continues automatically.",
    next: "Continue",
    toStore: "Return to the store",
  },
  de: {
    bank: "Testbank",
    title: "Zahlung bestätigen",
    cardTitle: "Karte bestätigen",
    merchant: "Händler",
    amount: "Betrag",
    card: "Karte",
    ending: (last4) => `Endet auf ${last4}`,
    code: [
      "Das ist eine Testbank. Sie sendet keine SMS. Geben Sie den Code ",
      " ein. Jeder andere Code wird abgelehnt.",
    ],
    wrongCode: "Der Code ist falsch. Bitte versuchen Sie es noch einmal.",
    codeLabel: "Bestätigungscode",
    confirm: "Bestätigen",
    cancel: "Abbrechen",
    help: "Hilfe",
    helpText:
      "Mit dem Code prüfen wir, dass die Karte Ihnen gehört. Sie können abbrechen, um eine andere Karte zu verwenden.",
    automatic: "Diese Testkarte benötigt keine Eingabe. Die Seite fährt automatisch fort.",
    next: "Weiter",
    toStore: "Zurück zum Shop",
  },
  fr: {
    bank: "Banque de test",
    title: "Confirmez ce paiement",
    cardTitle: "Confirmez cette carte",
    merchant: "Commerçant",
    amount: "Montant",
    card: "Carte",
    ending: (last4) => `Se terminant par ${last4}`,
    code: [
      "Ceci est une banque de test, qui n’envoie pas de SMS. Saisissez le code ",
      ". Tout autre code est refusé.",
    ],
    wrongCode: "Le code est incorrect. Réessayez.",
    codeLabel: "Code de vérification",
    confirm: "Confirmer",
    cancel: "Annuler",
    help: "Aide",
    helpText:
      "Ce code nous permet de vérifier que cette carte est bien la vôtre. Vous pouvez annuler pour utiliser une autre carte.",
    automatic: "Cette carte de test ne demande aucune saisie. La page continue automatiquement.",
    next: "Continuer",
    toStore: "Retour à la boutique",
  },
  es: {
    bank: "Banco de prueba",
    title: "Confirma este pago",
    cardTitle: "Confirma esta tarjeta",
    merchant: "Comercio",
    amount: "Importe",
    card: "Tarjeta",
    ending: (last4) => `Terminada en ${last4}`,
    code: [
      "Este es un banco de prueba y no envía SMS. Introduce el código ",
      ". Cualquier otro código se rechaza.",
    ],
    wrongCode: "El código es incorrecto. Inténtalo de nuevo.",
    codeLabel: "Código de verificación",
    confirm: "Confirmar",
    cancel: "Cancelar",
    help: "Ayuda",
    helpText:
      "Con este código comprobamos que la tarjeta es tuya. Puedes cancelar para usar otra tarjeta.",
    automatic:
      "Esta tarjeta de prueba no requiere ningún dato. La página continúa automáticamente.",
    next: "Continuar",
    toStore: "Volver a la tienda",
  },
  it: {
    bank: "Banca di prova",
    title: "Conferma questo pagamento",
    cardTitle: "Conferma questa carta",
    merchant: "Esercente",
    amount: "Importo",
    card: "Carta",
    ending: (last4) => `Termina con ${last4}`,
    code: [
      "Questa è una banca di prova e non invia SMS. Inserisci il codice ",
      ". Ogni altro codice viene rifiutato.",
    ],
    wrongCode: "Il codice non è corretto. Riprova.",
    codeLabel: "Codice di verifica",
    confirm: "Conferma",
    cancel: "Annulla",
    help: "Aiuto",
    helpText:
      "Con questo codice verifichiamo che la carta sia tua. Puoi annullare per usare un’altra carta.",
    automatic:
      "Questa carta di prova non richiede alcun inserimento. La pagina prosegue automaticamente.",
    next: "Continua",
    toStore: "Torna al negozio",
  },
  nl: {
    bank: "Testbank",
    title: "Bevestig deze betaling",
    cardTitle: "Bevestig deze kaart",
    merchant: "Winkel",
    amount: "Bedrag",
    card: "Kaart",
    ending: (last4) => `Eindigt op ${last4}`,
    code: [
      "Dit is een testbank, die geen sms stuurt. Voer de code ",
      " in. Elke andere code wordt geweigerd.",
    ],
    wrongCode: "De code is onjuist. Probeer het opnieuw.",
    codeLabel: "Verificatiecode",
    confirm: "Bevestigen",
    cancel: "Annuleren",
    help: "Hulp",
    helpText:
      "Met deze code controleren we dat de kaart van jou is. Je kunt annuleren om een andere kaart te gebruiken.",
    automatic: "Deze testkaart vraagt geen invoer. De pagina gaat automatisch verder.",
    next: "Doorgaan",
    toStore: "Terug naar de winkel",
  },
  pl: {
    bank: "Bank testowy",
    title: "Potwierdź tę płatność",
    cardTitle: "Potwierdź tę kartę",
    merchant: "Sprzedawca",
    amount: "Kwota",
    card: "Karta",
    ending: (last4) => `Kończy się na ${last4}`,
    code: [
      "To jest bank testowy, który nie wysyła SMS-ów. Wpisz kod ",
      ". Każdy inny kod zostanie odrzucony.",
    ],
    wrongCode: "Kod jest nieprawidłowy. Spróbuj ponownie.",
    codeLabel: "Kod weryfikacyjny",
    confirm: "Potwierdź",
    cancel: "Anuluj",
    help: "Pomoc",
    helpText:
      "Tym kodem sprawdzamy, że karta należy do Ciebie. Możesz anulować, aby użyć innej karty.",
    automatic: "Ta karta testowa nie wymaga podania danych. Strona przejdzie dalej automatycznie.",
    next: "Dalej",
    toStore: "Wróć do sklepu",
  },
  pt: {
    bank: "Banco de teste",
    title: "Confirme este pagamento",
    cardTitle: "Confirme este cartão",
    merchant: "Loja",
    amount: "Valor",
    card: "Cartão",
    ending: (last4) => `Final ${last4}`,
    code: [
      "Este é um banco de teste e não envia SMS. Digite o código ",
      ". Qualquer outro código é recusado.",
    ],
    wrongCode: "O código está incorreto. Tente de novo.",
    codeLabel: "Código de verificação",
    confirm: "Confirmar",
    cancel: "Cancelar",
    help: "Ajuda",
    helpText:
      "Com este código verificamos que o cartão é seu. Você pode cancelar para usar outro cartão.",
    automatic: "Este cartão de teste não exige nenhum dado. A página continua automaticamente.",
    next: "Continuar",
    toStore: "Voltar à loja",
  },
  ja: {
    bank: "テスト銀行",
    title: "お支払いの確認",
    cardTitle: "カードの確認",
    merchant: "加盟店",
    amount: "金額",
    card: "カード",
    ending: (last4) => `末尾 ${last4}`,
    code: [
      "これはテスト銀行で、SMSは送信されません。コード ",
      " を入力してください。他のコードは拒否されます。",
    ],
    wrongCode: "コードが正しくありません。もう一度お試しください。",
    codeLabel: "確認コード",
    confirm: "確認する",
    cancel: "キャンセル",
    help: "ヘルプ",
    helpText:
      "このコードで、ご本人のカードであることを確認します。別のカードを利用する場合は、キャンセルしてください。",
    automatic: "このテストカードでは入力は不要です。ページは自動的に進みます。",
    next: "続行",
    toStore: "ストアに戻る",
  },
  zh: {
    bank: "测试银行",
    title: "确认此付款",
    cardTitle: "确认此银行卡",
    merchant: "商户",
    amount: "金额",
    card: "银行卡",
    ending: (last4) => `尾号 ${last4}`,
    code: ["这是测试银行，不会发送短信。请输入验证码 ", "。其他验证码均会被拒绝。"],
    wrongCode: "验证码不正确，请重试。",
    codeLabel: "验证码",
    confirm: "确认",
    cancel: "取消",
    help: "帮助",
    helpText: "我们用此验证码确认这是您本人的银行卡。如需使用其他银行卡，请先取消。",
    automatic: "此测试卡无需输入。页面将自动继续。",
    next: "继续",
    toStore: "返回商店",
  },
  ar: {
    bank: "بنك تجريبي",
    title: "أكّد عملية الدفع هذه",
    cardTitle: "أكّد هذه البطاقة",
    merchant: "المتجر",
    amount: "المبلغ",
    card: "البطاقة",
    ending: (last4) => `تنتهي بالرقم ${last4}`,
    code: ["هذا بنك تجريبي ولا يرسل رسائل نصية. أدخل الرمز ", ". يُرفض أي رمز آخر."],
    wrongCode: "الرمز غير صحيح. حاول مرة أخرى.",
    codeLabel: "رمز التحقق",
    confirm: "تأكيد",
    cancel: "إلغاء",
    help: "مساعدة",
    helpText: "نستخدم هذا الرمز للتحقق من أن البطاقة لك. يمكنك الإلغاء لاستخدام بطاقة أخرى.",
    automatic: "لا تتطلب هذه البطاقة التجريبية أي إدخال. تتابع الصفحة تلقائيًا.",
    next: "متابعة",
    toStore: "العودة إلى المتجر",
  },
  he: {
    bank: "בנק לבדיקות",
    title: "אישור התשלום",
    cardTitle: "אישור הכרטיס",
    merchant: "בית העסק",
    amount: "סכום",
    card: "כרטיס",
    ending: (last4) => `מסתיים ב־${last4}`,
    code: ["זהו בנק לבדיקות, והוא אינו שולח מסרונים. יש להזין את הקוד ", ". כל קוד אחר יידחה."],
    wrongCode: "הקוד שגוי. נא לנסות שוב.",
    codeLabel: "קוד אימות",
    confirm: "אישור",
    cancel: "ביטול",
    help: "עזרה",
    helpText: "בעזרת הקוד אנחנו מוודאים שהכרטיס שייך לך. אפשר לבטל כדי להשתמש בכרטיס אחר.",
    automatic: "כרטיס הבדיקה הזה אינו דורש הזנה. הדף ממשיך אוטומטית.",
    next: "המשך",
    toStore: "חזרה לחנות",
  },
} as const satisfies Readonly<Record<string, BankWords>>;

export type BankLanguage = keyof typeof words;

export const bankLanguages = Object.keys(words) as BankLanguage[];

/** Returns the texts in a language. */
export function bankWords(language: BankLanguage): BankWords {
  return words[language];
}

export function directionOf(language: BankLanguage): "ltr" | "rtl" {
  return language === "ar" || language === "he" ? "rtl" : "ltr";
}

/** Returns the first supported language of an Accept-Language header, or English. Ignores the weights in the header. */
export function bankLanguage(acceptLanguage: string | undefined): BankLanguage {
  for (const range of (acceptLanguage ?? "").split(",")) {
    const [primary = ""] = range.trim().toLowerCase().split(/[-;]/);
    if (Object.hasOwn(words, primary)) return primary as BankLanguage;
  }
  return "en";
}
