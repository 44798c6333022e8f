import tailwindcss from "@tailwindcss/vite";
import type { UserConfig } from "vite";

/** Where the service runs while a person works on the dashboard: `FLORIN_URL=http://localhost:4242 npx vite dashboard`. */
const service = process.env.FLORIN_URL ?? "http://localhost:4242";
const ofTheService = ["/api", "/auth", "/operator", "/embed", "/embed.js", "/vault", "/challenge"];

export default {
  root: import.meta.dirname,
  base: "/dashboard/",
  plugins: [tailwindcss()],
  server: { proxy: Object.fromEntries(ofTheService.map((path) => [path, service])) },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // Browsers since the middle of 2024: `light-dark()`, popovers, nested style rules.
    target: ["chrome123", "firefox125", "safari17.5"],
    // A strict policy lets nothing stand in the page itself, and browsers of that age know modulepreload.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Which file needs which: first-load.test.ts adds them up.
    manifest: true,
  },
} satisfies UserConfig;
