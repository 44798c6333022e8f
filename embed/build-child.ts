import { buildEmbed } from "./build.ts";

process.send?.(await buildEmbed({ outdir: process.argv[2] as string }));
process.disconnect?.();
