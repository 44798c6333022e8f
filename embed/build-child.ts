import { buildEmbed } from "./build.ts";

const built = await buildEmbed({ outdir: process.argv[2] as string });
// The parent process may have stopped in the meantime, for example because its start failed.
if (process.connected) {
  process.send?.(built);
  process.disconnect?.();
}
