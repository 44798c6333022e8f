import { Html, html } from "./html.ts";

/**
 * The gradients of the pictures, which are inline SVG, so that the shop loads no image files. `shaded` draws a shape in
 * the color of its glaze and again in the gradient `light`, which runs from white on the left to dark on the right.
 */
export const gradients = html`<svg class="defs" aria-hidden="true"><defs>
  <linearGradient id="light"><stop offset="0" stop-color="#fff" stop-opacity=".28"/><stop offset=".3" stop-color="#fff" stop-opacity=".1"/><stop offset=".55" stop-color="#201408" stop-opacity="0"/><stop offset="1" stop-color="#201408" stop-opacity=".42"/></linearGradient>
  <radialGradient id="ground"><stop offset="0" stop-color="#201408" stop-opacity=".42"/><stop offset="1" stop-color="#201408" stop-opacity="0"/></radialGradient>
  <radialGradient id="glow"><stop offset="0" stop-color="#ffd98a" stop-opacity=".85"/><stop offset="1" stop-color="#ffd98a" stop-opacity="0"/></radialGradient>
  <linearGradient id="wall-light" x2=".9" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".3"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></linearGradient>
</defs></svg>`;

const speckles = [
  [152, 190],
  [170, 232],
  [186, 178],
  [203, 252],
  [222, 196],
  [238, 226],
  [214, 216],
  [160, 262],
  [247, 182],
  [192, 214],
  [232, 260],
  [148, 222],
  [176, 270],
  [210, 284],
  [180, 202],
]
  .map(([x, y]) => `<circle cx="${x}" cy="${y}" r="1.8" fill="#6b5137" opacity=".55"/>`)
  .join("");

function shaded(path: string, glaze: string): string {
  return `<path d="${path}" fill="${glaze}"/><path d="${path}" fill="url(#light)"/>`;
}

const drawings: Record<string, { wall: string; shapes: string }> = {
  cup: {
    wall: "oat",
    shapes: `
      <path d="M262 186c62-14 66 78-8 76" fill="none" stroke="#d9c7a8" stroke-width="17" stroke-linecap="round"/>
      <path d="M266 192c46-8 48 62-6 62" fill="none" stroke="#201408" stroke-opacity=".16" stroke-width="5"/>
      ${shaded("M128 152h144c2 70-6 128-26 152q-46 14-92 0c-20-24-28-82-26-152z", "#ecdfc6")}
      ${shaded("M144 282q56 16 112 0l-10 22q-46 14-92 0z", "#b9825a")}
      ${speckles}
      <ellipse cx="200" cy="152" rx="72" ry="17" fill="#f4ead6"/><ellipse cx="200" cy="154" rx="64" ry="13" fill="#3a2416"/>
      <ellipse cx="186" cy="152" rx="30" ry="5" fill="#7a5231" opacity=".7"/>
      <path d="M184 122c-12-18 12-26 0-46M212 126c-12-18 12-26 0-46" fill="none" stroke="#fff" stroke-opacity=".5" stroke-width="5" stroke-linecap="round"/>`,
  },
  vase: {
    wall: "sage",
    shapes: `
      <path d="M204 116C210 70 236 52 268 34M212 88c-20-14-24-30-22-50M236 58c14 8 26 8 40 4" fill="none" stroke="#5a4632" stroke-width="4" stroke-linecap="round"/>
      ${[
        [268, 34],
        [190, 38],
        [278, 62],
        [240, 52],
        [206, 72],
      ]
        .map(
          ([x, y]) =>
            `<g fill="#f7ece6"><circle cx="${x}" cy="${(y ?? 0) - 6}" r="6.5"/><circle cx="${(x ?? 0) - 6}" cy="${(y ?? 0) + 3}" r="6.5"/><circle cx="${(x ?? 0) + 6}" cy="${(y ?? 0) + 3}" r="6.5"/></g><circle cx="${x}" cy="${y}" r="3" fill="#d58a6a"/>`,
        )
        .join("")}
      ${shaded("M172 116h56v12c50 12 78 50 78 94 0 50-34 86-66 94h-80c-32-8-66-44-66-94 0-44 28-82 78-94z", "#f3f0e8")}
      <path d="M97 236q103 22 206 0" fill="none" stroke="#201408" stroke-opacity=".07" stroke-width="4"/>
      <ellipse cx="200" cy="116" rx="28" ry="7" fill="#fbf9f4"/><ellipse cx="200" cy="117" rx="22" ry="4.5" fill="#5d564a"/>
      <ellipse cx="150" cy="190" rx="18" ry="32" fill="#fff" opacity=".55" transform="rotate(24 150 190)"/>`,
  },
  teapot: {
    wall: "clay",
    shapes: `
      <path d="M128 176C128 60 272 60 272 176" fill="none" stroke="#b58a4c" stroke-width="11" stroke-linecap="round"/>
      <path d="M128 176C128 60 272 60 272 176" fill="none" stroke="#7d5a2b" stroke-width="11" stroke-dasharray="2 9"/>
      ${shaded("M276 226c34-6 38-44 66-58l10 8c-16 22-22 76-72 92z", "#31504d")}
      ${shaded("M110 226c0-40 40-62 90-62s90 22 90 62c0 48-34 84-60 88h-60c-26-4-60-40-60-88z", "#3d615d")}
      <path d="M126 260q74 22 150-4l-8 20q-64 16-132 2z" fill="#d3a77f" opacity=".22"/>
      ${shaded("M150 170q50-32 100 0q-50 16-100 0z", "#476f6a")}
      <circle cx="200" cy="146" r="11" fill="#c69a70"/><circle cx="200" cy="146" r="11" fill="url(#light)"/>
      <ellipse cx="146" cy="212" rx="12" ry="25" fill="#fff" opacity=".26" transform="rotate(28 146 212)"/>`,
  },
  bowl: {
    wall: "sky",
    shapes: `
      ${shaded("M164 290h72l6 22h-84z", "#a9714c")}
      ${shaded("M84 184h232c0 64-40 112-84 114h-64c-44-2-84-50-84-114z", "#486a86")}
      <path d="M84 186c4 22 14 32 26 30s12 26 24 26 12-14 26-12 16 34 30 34 12-30 26-32 14 16 28 14 14-30 28-30 34 6 44-30z" fill="#e9eef0" opacity=".8"/>
      <path d="M84 184h232c0 64-40 112-84 114h-64c-44-2-84-50-84-114z" fill="url(#light)" opacity=".55"/>
      <ellipse cx="200" cy="184" rx="116" ry="27" fill="#f2f4f3"/><ellipse cx="200" cy="187" rx="106" ry="22" fill="#b8c6cd"/>
      <ellipse cx="206" cy="192" rx="82" ry="15" fill="#f0e3c8"/>
      ${[
        [170, 190],
        [186, 184],
        [178, 196],
        [232, 194],
        [244, 188],
      ]
        .map(
          ([x, y]) =>
            `<circle cx="${x}" cy="${y}" r="7" fill="#4b3a6e"/><circle cx="${(x ?? 0) - 2}" cy="${(y ?? 0) - 2}" r="2" fill="#8f7fb5"/>`,
        )
        .join("")}`,
  },
  candle: {
    wall: "dusk",
    shapes: `
      <circle cx="200" cy="92" r="92" fill="url(#glow)"/>
      <path d="M200 60c18 22 14 42 0 44-14-2-18-22 0-44z" fill="#f5a93b"/><path d="M200 80c8 10 6 20 0 21-6-1-8-11 0-21z" fill="#fff3cf"/>
      <path d="M200 100v12" stroke="#3a2a1c" stroke-width="3"/>
      ${shaded("M184 110q16 8 32 0v116h-32z", "#f4ead8")}
      ${shaded("M166 222q34 12 68 0l-6 62h-56z", "#7b4b52")}
      <ellipse cx="200" cy="222" rx="34" ry="8" fill="#91606a"/><ellipse cx="200" cy="221" rx="17" ry="4" fill="#f4ead8"/>
      <path d="M290 288c50-22 58 26 8 22" fill="none" stroke="#6b3f46" stroke-width="11" stroke-linecap="round"/>
      ${shaded("M88 284h224c0 20-30 34-60 34H148c-30 0-60-14-60-34z", "#6f434a")}
      <ellipse cx="200" cy="284" rx="112" ry="18" fill="#8d5d66"/><ellipse cx="200" cy="287" rx="96" ry="12" fill="#6f434a"/>
      ${shaded("M172 262h56l4 26q-32 9-64 0z", "#7b4b52")}`,
  },
  planter: {
    wall: "sand",
    shapes: `
      <g fill="none" stroke="#3f5b39" stroke-width="4" stroke-linecap="round"><path d="M200 200c-4-50-8-80-2-124M198 170c-26-18-44-36-56-62M202 176c22-20 42-32 62-60M200 190c-34-8-56-14-76-34M202 192c30-6 54-18 72-36"/></g>
      <g fill="#55784c"><path d="M198 76c-26-24-20-46 0-60 20 14 26 36 0 60z"/><path d="M142 108c-32 2-42-16-40-38 24 0 40 12 40 38z"/><path d="M264 116c-2-28 14-42 40-44 4 24-10 42-40 44z"/></g>
      <g fill="#6b9160"><path d="M124 156c-24 12-42 2-48-18 22-12 42-4 48 18z"/><path d="M274 156c4-24 24-34 48-26-2 24-22 36-48 26z"/><path d="M170 140c-24-4-30-22-22-40 20 6 30 20 22 40z"/><path d="M232 142c-6-22 8-38 28-40 6 20-6 38-28 40z"/></g>
      ${shaded("M112 298h176l-14 20H126z", "#a55a36")}
      ${shaded("M122 196h156l-18 104H140z", "#c4724a")}
      <path d="M128 232h144l-3 16H131z" fill="#f0dcc0" opacity=".75"/>
      <ellipse cx="200" cy="196" rx="78" ry="15" fill="#d78a62"/><ellipse cx="200" cy="198" rx="68" ry="11" fill="#4a3424"/>`,
  },
};

export function picture(productId: string): Html {
  const drawing = drawings[productId];
  if (!drawing) return html``;
  return new Html(`<svg class="picture wall-${drawing.wall}" viewBox="0 0 400 400" aria-hidden="true">
    <rect width="400" height="400" class="wall"/><rect width="400" height="400" fill="url(#wall-light)"/>
    <rect y="300" width="400" height="100" class="table"/>
    <ellipse cx="216" cy="314" rx="150" ry="20" fill="url(#ground)"/>${drawing.shapes}</svg>`);
}
