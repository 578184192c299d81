// Bundles the command into dist/: one entry, its commands as lazily loaded chunks.
import { chmodSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { fairway: 'src/cli/main.ts' },
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node22.18',
  format: 'esm',
  outdir: 'dist',
  minifySyntax: true,
  chunkNames: 'chunks/[name]-[hash]',
  banner: {
    js: "import { createRequire as createRequireOfFairway } from 'node:module';\nconst require = createRequireOfFairway(import.meta.url);",
  },
  logLevel: 'warning',
});
chmodSync('dist/fairway.js', 0o755);
