import { textColorOn, withContrast } from "@florin/contract/color-contrast.ts";
import { chooseLocale, directionOf } from "@florin/embed/src/frame/locales/choose-locale.ts";
import { escapeHtml } from "../http/escape-html.ts";
import type { Mail, MailBrand } from "./mail.ts";

/** The look of an email that the service sends in its own name. */
const serviceBrand: MailBrand = { name: "Florin", color: null, logo: null };
const serviceColor = "#0b5d45";

const surface = { light: "#ffffff", dark: "#1b201e" } as const;
const minAccentContrast = 4.5;

/** An inline style, for mail programs that do not support style elements. */
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/**
 * Returns the HTML part of an email, which has the same content as its text. The only picture is the merchant's logo,
 * which this service serves, so that opening an email reveals nothing to a third party.
 */
export function mailHtml({ subject, text, action, brand, language }: Mail, origin: string): string {
  const locale = chooseLocale([language]);
  const direction = directionOf(locale.language);
  const { name, color, logo } = brand ?? serviceBrand;
  const accent = color ?? serviceColor;
  const look: Look = {
    // The accent color is mixed with black or white, so that the link below a button is readable in both color schemes.
    light: withContrast(accent, surface.light, minAccentContrast),
    dark: withContrast(accent, surface.dark, minAccentContrast),
    button: accent,
    buttonText: textColorOn(accent),
    action: action ?? null,
    // Mail programs do not support the logical values `start` and `end`.
    end: direction === "ltr" ? "right" : "left",
  };
  const picture = logo
    ? `<img src="${escapeHtml(origin + logo)}" alt="" width="32" height="32" style="width:32px;height:32px;border-radius:6px;object-fit:contain;vertical-align:middle;margin-${look.end}:10px">`
    : "";
  const body = text
    .trim()
    .split("\n\n")
    .map((part) => paragraph(part, look));
  return `<!doctype html>
<html lang="${locale.tag}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background: #0e1110 !important; }
  .card { background: ${surface.dark} !important; border-color: ${look.dark} #313835 #313835 !important; }
  .ink { color: #ebeeec !important; }
  .label { color: #a3aca7 !important; }
  .row { border-color: #313835 !important; }
  .link { color: ${look.dark} !important; }
}
</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f4f5f1">
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f5f1"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;background:${surface.light};border:1px solid #e1e4dc;border-top:4px solid ${accent};border-radius:8px"><tr><td class="ink" style="padding:24px 28px 28px;${font};font-size:15px;line-height:1.55;color:#181b19">
<p class="ink" style="margin:0 0 20px;font-size:16px;font-weight:600;color:#181b19">${picture}${escapeHtml(name)}</p>
<h1 class="ink" style="margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600;color:#181b19">${withWholeNumber(escapeHtml(subject))}</h1>
${body.join("\n")}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

type Look = {
  readonly light: string;
  readonly dark: string;
  readonly button: string;
  readonly buttonText: string;
  readonly action: string | null;
  readonly end: "left" | "right";
};

function paragraph(part: string, look: Look): string {
  if (/^https?:\/\/\S+$/.test(part)) return link(part, look);
  const lines = part.split("\n");
  if (lines.every((line) => line.startsWith("- "))) {
    const items = lines.map((line) => `<li>${escapeHtml(line.slice(2))}</li>`);
    return `<ul class="ink" style="margin:0 0 16px;padding-left:20px;color:#181b19">${items.join("")}</ul>`;
  }
  if (lines.every((line) => line.includes("\t"))) return table(lines, look);
  return `<p class="ink" style="margin:0 0 16px;color:#181b19">${lines.map(escapeHtml).join("<br>")}</p>`;
}

/** Keeps a receipt number on one line, which browsers would break at its hyphens. */
function withWholeNumber(html: string): string {
  return html.replace(/(?<!&)#\S+/g, '<span style="white-space:nowrap">$&</span>');
}

const maxUnbrokenLabel = 20;

/** Returns a table of labels and values. */
function table(lines: readonly string[], { end }: Look): string {
  const start = end === "right" ? "left" : "right";
  const rows = lines.map((line) => {
    const [label = "", value = ""] = line.split("\t");
    const cell = "padding:8px 0;border-bottom:1px solid #e1e4dc;vertical-align:top";
    // Breaks a long value instead of a short label.
    const wrap = label.length <= maxUnbrokenLabel ? ";white-space:nowrap" : "";
    return `<tr><th scope="row" class="label row" align="${start}" style="${cell};padding-${end}:16px;font-weight:400;color:#5a625d${wrap}">${escapeHtml(label)}</th><td class="ink row" align="${end}" style="${cell};color:#181b19">${escapeHtml(value)}</td></tr>`;
  });
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px;border-collapse:collapse;font-size:15px;line-height:1.4">${rows.join("")}</table>`;
}

/**
 * Returns a link with its URL, below a button if the email has one. The URL is shown because people check it, and
 * because some mail programs block links.
 */
function link(url: string, { action, button, buttonText, light }: Look): string {
  const href = escapeHtml(url);
  const above = action
    ? `<p style="margin:0 0 8px"><a href="${href}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:${button};color:${buttonText};font-weight:600;text-decoration:none">${escapeHtml(action)}</a></p>\n`
    : "";
  return `${above}<p style="margin:0 0 16px;font-size:13px;line-height:1.5;word-break:break-all"><a class="link" href="${href}" style="color:${light}">${href}</a></p>`;
}
