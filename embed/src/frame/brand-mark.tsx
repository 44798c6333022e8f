import type { CardNetwork } from "@florin/contract/payment-method.ts";
import type { ComponentChild } from "preact";

/** Draws a brand logo of 34 by 22 pixels as inline SVG, which needs no request. */
export function BrandMark({ brand }: { brand: CardNetwork }) {
  return (
    <svg
      class="mark"
      viewBox="0 0 34 22"
      width="34"
      height="22"
      aria-hidden="true"
      focusable="false"
    >
      <rect
        class="mark-ground"
        x=".5"
        y=".5"
        width="33"
        height="21"
        rx="3.5"
        fill={backgrounds[brand]}
      />
      {drawings[brand]()}
    </svg>
  );
}

const backgrounds: Readonly<Record<CardNetwork, string>> = {
  visa: "#fff",
  mastercard: "#fff",
  amex: "#1f6fd0",
  discover: "#fff",
  diners: "#fff",
  jcb: "#fff",
  unionpay: "#fff",
  cartes_bancaires: "#1b6b5c",
};

const drawings: Readonly<Record<CardNetwork, () => ComponentChild>> = {
  visa: () => <Lettering text="VISA" fill="#1a2f8a" italic size={10.5} />,
  mastercard: () => (
    <>
      <circle cx="13.4" cy="11" r="6.4" fill="#e5202b" />
      <circle cx="20.6" cy="11" r="6.4" fill="#f5a11c" />
      <path d="M17 5.7a6.4 6.4 0 0 1 0 10.6 6.4 6.4 0 0 1 0-10.6Z" fill="#f0631c" />
    </>
  ),
  amex: () => <Lettering text="AMEX" fill="#fff" size={9} />,
  discover: () => (
    <>
      <path d="M34 13v5a4 4 0 0 1-4 4H12c10-1.5 17-4.5 22-9Z" fill="#f2801f" />
      <Lettering text="DISCOVER" fill="#22262e" size={5.2} raised />
    </>
  ),
  diners: () => (
    <>
      <circle cx="17" cy="11" r="7.4" fill="#1b5fa6" />
      <path d="M15.5 6.400v9.200a4.9 4.9 0 0 1 0-9.200Zm3 0a4.9 4.9 0 0 1 0 9.200Z" fill="#fff" />
    </>
  ),
  jcb: () => (
    <>
      <rect x="6" y="4" width="6.6" height="14" rx="2.2" fill="#1868b3" />
      <rect x="13.7" y="4" width="6.6" height="14" rx="2.2" fill="#d3213d" />
      <rect x="21.4" y="4" width="6.6" height="14" rx="2.2" fill="#1f8a3b" />
    </>
  ),
  unionpay: () => (
    <>
      <path d="M8 4h7l-3 14H5Z" fill="#d8232f" />
      <path d="M15 4h7l-3 14h-7Z" fill="#17497f" />
      <path d="M22 4h7l-3 14h-7Z" fill="#127a80" />
    </>
  ),
  cartes_bancaires: () => <Lettering text="CB" fill="#fff" size={12} />,
};

type LetteringProps = {
  text: string;
  fill: string;
  size: number;
  italic?: boolean;
  raised?: boolean;
};

function Lettering({ text, fill, size, italic, raised }: LetteringProps) {
  return (
    <text
      x="17"
      y={raised ? 11 : 14.6}
      text-anchor="middle"
      font-family="Arial, Helvetica, sans-serif"
      font-size={size}
      font-weight="800"
      font-style={italic ? "italic" : "normal"}
      textLength={text.length * size * 0.68}
      lengthAdjust="spacingAndGlyphs"
      fill={fill}
    >
      {text}
    </text>
  );
}
