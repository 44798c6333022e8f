import tailwindcss from "@tailwindcss/vite";
import type { UserConfig } from "vite";

/** The URL of the service for the development server: `FLORIN_URL=http://localhost:4242 npx vite dashboard`. */
const service = process.env.FLORIN_URL ?? "http://localhost:4242";
const proxiedPaths = ["/api", "/auth", "/operator", "/embed", "/embed.js", "/vault", "/challenge"];

/**
 * Modules that several pages share. By default, the build would write one file for each shared icon, and the first load
 * would need sixty requests.
 */
const shared = [
  { name: "menus", test: /node_modules\/(@radix-ui|@floating-ui|react-remove-scroll|aria-hidden)/ },
  { name: "icons", test: /node_modules\/lucide-react/, minShareCount: 2 },
  { name: "pieces", test: /dashboard\/src\/(components|api|forms)\//, minShareCount: 3 },
];

export default {
  root: import.meta.dirname,
  base: "/dashboard/",
  plugins: [tailwindcss()],
  server: { proxy: Object.fromEntries(proxiedPaths.map((path) => [path, service])) },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // Browsers since mid-2024, which support `light-dark()`, popovers and nested style rules.
    target: ["chrome123", "firefox125", "safari17.5"],
    // A strict CSP forbids inline assets, and the target browsers support modulepreload.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Writes a list of each file's imports. first-load.test.ts adds up the sizes of the imported files.
    manifest: true,
    rolldownOptions: { output: { codeSplitting: { groups: shared } } },
  },
} satisfies UserConfig;
