import { color } from "./color-code.ts";
import { element } from "./element.ts";

/** The reader's test key, stored for this tab only. A test key never moves money. */
const storageKey = "florin-docs-test-key";

/** The expressions that read the secret key from the environment, in the languages of the snippets. */
const keyExpressions = [
  "process.env.FLORIN_SECRET_KEY",
  'os.environ["FLORIN_SECRET_KEY"]',
  'os.Getenv("FLORIN_SECRET_KEY")',
  'getenv("FLORIN_SECRET_KEY")',
  'System.getenv("FLORIN_SECRET_KEY")',
].toSorted((left, right) => right.length - left.length);

/**
 * Fills the reader's test key into the snippets. A reader who is signed in to the dashboard creates a new key here,
 * because the service stores only hashes of existing keys.
 */
export async function addTestKey(): Promise<void> {
  const article = document.querySelector("article");
  const usesKey = [...document.querySelectorAll("pre")].some((pre) => mentionsKey(pre));
  if (!article || !usesKey) return;
  const stored = sessionStorage.getItem(storageKey);
  const account = stored ? null : await signedInAccount();
  if (!stored && !account) return;
  const text = element("p");
  const bar = element("div", { class: "key-bar" }, text);
  article.prepend(bar);
  if (stored) showKey(stored);
  else if (account) offerKey(account);

  function showKey(key: string) {
    fill(key);
    text.replaceChildren(
      "The examples contain your test key ",
      element("code", {}, masked(key)),
      ".",
    );
    const remove = element("button", { type: "button", class: "button" }, "Remove");
    remove.addEventListener("click", () => {
      sessionStorage.removeItem(storageKey);
      location.reload();
    });
    bar.replaceChildren(text, remove);
  }

  function offerKey({ id, name }: AccountOfReader) {
    text.textContent = `You are signed in to ${name}. Run the examples with a test key of your own.`;
    const create = element(
      "button",
      { type: "button", class: "button primary" },
      "Create test key",
    );
    create.addEventListener("click", async () => {
      create.disabled = true;
      const result = await createKey(id);
      if ("key" in result) {
        sessionStorage.setItem(storageKey, result.key);
        showKey(result.key);
        return;
      }
      create.disabled = false;
      text.replaceChildren(
        `${result.message} `,
        element("a", { href: `/dashboard/${id}/test/api-keys` }, "Open API keys"),
      );
      text.setAttribute("role", "status");
    });
    bar.replaceChildren(text, create);
  }
}

function mentionsKey({ textContent }: HTMLElement): boolean {
  return textContent?.includes("FLORIN_SECRET_KEY") ?? false;
}

/** Replaces the placeholders of the key and, in shell commands, the placeholders of the URL. */
function fill(key: string): void {
  for (const pre of document.querySelectorAll("pre")) {
    const code = pre.querySelector<HTMLElement>("code");
    if (!code || !mentionsKey(pre)) continue;
    let text = code.textContent ?? "";
    if (code.dataset.language === "bash") {
      text = text
        .replaceAll("$FLORIN_SECRET_KEY", key)
        .replace(/(export FLORIN_SECRET_KEY=)\S+/, `$1${key}`)
        .replaceAll("$FLORIN_URL", location.origin);
    } else {
      for (const expression of keyExpressions) text = text.replaceAll(expression, `"${key}"`);
    }
    code.textContent = text;
    color(code);
  }
}

function masked(key: string): string {
  return `${key.slice(0, 8)}…${key.slice(-4)}`;
}

type AccountOfReader = { readonly id: string; readonly name: string };

/**
 * Returns the account that the reader last used in the dashboard. Returns null if the reader is not signed in. Sends no
 * request for a reader who has not used the dashboard in this browser.
 */
async function signedInAccount(): Promise<AccountOfReader | null> {
  const place = localStorage.getItem("florin-last-place");
  if (place === null) return null;
  const response = await fetch("/auth/v1/me").catch(() => null);
  if (!response?.ok) return null;
  const me = (await response.json()) as {
    readonly memberships: readonly { readonly account: AccountOfReader }[];
  };
  const [last] = place.split("/");
  const accounts = me.memberships.map(({ account }) => account);
  return accounts.find(({ id }) => id === last) ?? accounts[0] ?? null;
}

async function createKey(
  account: string,
): Promise<{ readonly key: string } | { readonly message: string }> {
  const response = await fetch("/api/v1/api_keys", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
      "florin-account": account,
      "florin-mode": "test",
    },
    body: JSON.stringify({ name: "Documentation examples" }),
  }).catch(() => null);
  if (!response) return { message: "The service did not respond. Try again." };
  const body = (await response.json()) as {
    readonly secret?: string;
    readonly error?: { readonly code: string };
  };
  if (body.secret) return { key: body.secret };
  if (body.error?.code === "step_up_required") {
    return { message: "Confirm your password in the dashboard to create a key." };
  }
  if (body.error?.code === "permission_denied") {
    return { message: "Your role cannot create keys. Ask an owner of the account for a test key." };
  }
  return { message: "The key could not be created. Create it in the dashboard." };
}
