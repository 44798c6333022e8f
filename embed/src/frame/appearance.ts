/**
 * The appearance options of merchants: a theme, and tokens that override it. Each value has a narrow grammar without
 * free CSS or `url()`, so that no value can load a resource, cover content or add a rule.
 */
export const themes = ["calm", "night", "plain"] as const;
export type Theme = (typeof themes)[number];

type Kind = "color" | "length" | "weight" | "font";
type Token = { readonly kind: Kind; readonly min?: number; readonly max?: number };

const color: Token = { kind: "color" };
const weight: Token = { kind: "weight" };
const length = (min: number, max: number): Token => ({ kind: "length", min, max });

/** Lengths are in CSS pixels or rem (16 px). The limits keep fields readable and large enough to tap. */
export const tokens = {
  accent: color,
  accentHover: color,
  accentText: color,
  text: color,
  quietText: color,
  placeholder: color,
  background: color,
  surface: color,
  field: color,
  fieldBorder: color,
  fieldBorderHover: color,
  line: color,
  focusRing: color,
  danger: color,
  dangerSurface: color,
  success: color,
  successSurface: color,
  calmSurface: color,
  radius: length(0, 28),
  fieldRadius: length(0, 28),
  buttonRadius: length(0, 32),
  fieldHeight: length(40, 72),
  buttonHeight: length(44, 72),
  fieldPadding: length(8, 24),
  borderWidth: length(0, 3),
  gap: length(8, 32),
  fontSize: length(16, 20),
  labelSize: length(12, 18),
  smallSize: length(12, 18),
  labelWeight: weight,
  headingWeight: weight,
  buttonWeight: weight,
  font: { kind: "font" },
} as const satisfies Readonly<Record<string, Token>>;
export type TokenName = keyof typeof tokens;

export type Appearance = {
  readonly theme: Theme;
  readonly tokens: Readonly<Partial<Record<TokenName, string>>>;
  /** The names that are unknown or have invalid values. The form ignores them. */
  readonly rejected: readonly string[];
};

export function readAppearance(options: Readonly<Record<string, string>>): Appearance {
  const { theme = "calm", ...rest } = options;
  const knownTheme = themes.find((name) => name === theme);
  const entries = Object.entries(rest);
  const good = entries.filter(([name, value]) => isToken(name) && fits(tokens[name], value));
  return {
    theme: knownTheme ?? "calm",
    tokens: Object.fromEntries(good),
    rejected: [
      ...(knownTheme ? [] : ["theme"]),
      ...entries.filter((entry) => !good.includes(entry)).map(([name]) => name),
    ],
  };
}

function isToken(name: string): name is TokenName {
  return Object.hasOwn(tokens, name);
}

function fits({ kind, min = 0, max = 0 }: Token, value: string): boolean {
  switch (kind) {
    case "color":
      return (
        /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value) ||
        /^[a-z]{3,24}$/i.test(value) ||
        /^(rgb|hsl|hwb|lab|lch|oklab|oklch)a?\([\d\s.,%/+-]{1,40}(deg)?[\d\s.,%/+-]{0,40}\)$/i.test(
          value,
        )
      );
    case "length": {
      const [, number, unit] = /^(\d{1,2}(?:\.\d{1,4})?)(px|rem)$/.exec(value) ?? [];
      const pixels = Number(number) * (unit === "rem" ? 16 : 1);
      return pixels >= min && pixels <= max;
    }
    case "weight":
      return /^[3-8]00$/.test(value);
    case "font":
      // Names of installed font families, with quotes and commas. Parentheses are not allowed, because they could call
      // a function.
      return /^[\p{L}\d ,'"_-]{1,120}$/u.test(value);
  }
}

/** The number of names in a message. The bridge drops messages of more than 300 characters. */
const maxNames = 5;

/** Returns the message that names rejected options, for the developer of the merchant's page. */
export function rejectedMessage(rejected: readonly string[]): string {
  const more = rejected.length - maxNames;
  const names = rejected.slice(0, maxNames).join(", ");
  return `Invalid appearance options: ${names}${more > 0 ? ` and ${more} more` : ""}. Correct their names or values.`;
}

/** Returns the custom property of a token: `quietText` → `--quiet-text`. */
export function propertyOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
