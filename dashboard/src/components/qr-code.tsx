import qrcode from "qrcode-generator";

/** The quiet zone around the code, in modules (ISO/IEC 18004). */
const quiet = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const whole = size + 2 * quiet;
  let dark = "";
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      if (code.isDark(row, column)) dark += `M${column + quiet} ${row + quiet}h1v1h-1z`;
    }
  }
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${whole} ${whole}`}
      shapeRendering="crispEdges"
      className="size-52 rounded-md"
    >
      {/* Black on white in both themes, because cameras expect that. */}
      <path d={`M0 0h${whole}v${whole}H0z`} fill="#fff" />
      <path d={dark} fill="#000" />
    </svg>
  );
}
