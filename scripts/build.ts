// `npm run build [-- FOLDER]` bundles the command into dist/: one entry, its commands as lazily loaded chunks. What costs a short command its time is kept out of
// its way: modules of Node load what they offer only when it is used, and js-yaml, which few manifests need, when it is first called.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import * as jsYaml from 'js-yaml';

const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(JSON.parse(readFileSync('package.json', 'utf8')).engines.node) ?? [];
const leastNode = `${major}.${minor}`;

/**
 * First, because an older Node lacks what the files behind it call, and would fail somewhere in words that help nobody. Then `require` for bundled
 * CommonJS; made when it is first called.
 */
const banner = `{
  const { node } = globalThis.process.versions;
  const [major, minor] = node.split('.').map(Number);
  if (major < ${major} || (major === ${major} && minor < ${minor})) {
    console.error('error: fairway needs Node ${leastNode} or newer, and this is ' + node + '\\n  hint: put a newer one first in PATH');
    globalThis.process.exit(69);
  }
}
let requireOfFairway;
const madeRequire = () => requireOfFairway ??= process.getBuiltinModule('node:module').createRequire(import.meta.url);
const require = Object.assign((name) => madeRequire()(name), { resolve: (name, options) => madeRequire().resolve(name, options) });`;

/** Commander can run other programs as its commands, and loads half of Node's network for that; Fairway has no such commands. */
const noPrograms: Plugin = {
  name: 'no programs',
  setup(bundle) {
    bundle.onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes('/commander/') ? { path, namespace: 'unused' } : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'export default {};' }));
  },
};

/** The bundler's form: the module's default, its namespace, some of its members. */
const builtinImport = /^import (?:(\w+)(?:, | ))?(?:\* as (\w+) |\{([^}]*)\} )?from "(node:[\w/]+)";\n/gm;

/** js-yaml in a file of its own: its constants are written out, its functions load it. */
const yamlOnDemand: Plugin = {
  name: 'js-yaml on demand',
  setup(bundle) {
    bundle.onResolve({ filter: /^js-yaml$/ }, ({ path, importer }) =>
      importer.includes('node_modules') ? undefined : { path, namespace: 'on-demand' },
    );
    bundle.onLoad({ filter: /.*/, namespace: 'on-demand' }, () => {
      const members = Object.entries(jsYaml).map(([name, value]) => memberOnDemand(name, value));
      return { contents: `let loaded;\nconst all = () => loaded ??= require('./js-yaml.cjs');\n${members.join('\n')}` };
    });
    bundle.onResolve({ filter: /^\.\/js-yaml\.cjs$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** Classes and what holds functions are left out: who imports one shall hear of it when he builds. */
function memberOnDemand(name: string, value: unknown): string {
  if (typeof value === 'function' && !/^[A-Z]/.test(name))
    return `export const ${name} = (...values) => all().${name}(...values);`;
  const numbers = typeof value === 'object' && value !== null && Object.values(value).every(Number.isInteger);
  return numbers ? `export const ${name} = ${JSON.stringify(value)};` : '';
}

const folder = process.argv[2] ?? 'dist';
rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: { fairway: 'src/cli/main.ts' },
  bundle: true,
  splitting: true,
  platform: 'node',
  target: `node${leastNode}`,
  format: 'esm',
  outdir: folder,
  minifySyntax: true,
  inject: ['scripts/first-chunk.ts'],
  chunkNames: 'chunks/[name]-[hash]',
  banner: { js: banner },
  plugins: [noPrograms, yamlOnDemand],
  logLevel: 'warning',
});
await build({
  stdin: { contents: "export * from 'js-yaml'", resolveDir: '.' },
  bundle: true,
  platform: 'node',
  target: `node${leastNode}`,
  outfile: join(folder, 'chunks/js-yaml.cjs'),
  minifySyntax: true,
});
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.js')) continue;
  const path = join(folder, file);
  writeFileSync(path, withPlainBuiltins(readFileSync(path, 'utf8')));
}
chmodSync(join(folder, 'fairway.js'), 0o755);
process.stderr.write(`${join(folder, 'fairway.js')}: needs Node ${leastNode} or newer, and nothing else\n`);

/**
 * An ES import of a module of Node evaluates all that the module offers: `import fs` loads fs.promises and streams, `import process` opens
 * standard input. Taken as an object, it is asked only for what is used.
 */
function withPlainBuiltins(code: string): string {
  const taken: string[] = [];
  const rest = code.replace(builtinImport, (...found: (string | undefined)[]) => {
    const [, name, space, members, module] = found;
    const whole = name ?? space;
    const object = `globalThis.process.getBuiltinModule("${module}")`;
    if (whole !== undefined) taken.push(`const ${whole} = ${object};\n`);
    if (members !== undefined) taken.push(`const {${members.replaceAll(' as ', ': ')}} = ${whole ?? object};\n`);
    return '';
  });
  return rest.replace(banner, () => `${banner}\n${taken.join('')}`);
}
