// Runs `fairway pod run` as a program, with its own socket and folders, and waits for what it says.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const main = resolve(import.meta.dirname, '../../src/cli/main.ts');
const patienceMs = 120_000;

export interface RunningPods {
  readonly child: ChildProcess;
  readonly folder: string;
  /** Everything said so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until the outputs together hold a text; fails with both after two minutes. */
  saw(text: string | RegExp): Promise<void>;
  /** Another command against this run. */
  fairway(...args: readonly string[]): Done;
  /** The same, while this process goes on; rejects where the command fails. */
  meanwhile(...args: readonly string[]): Promise<string>;
  /** The exit status; also after this the run's folder exists, until `remove`. */
  readonly ended: Promise<number | null>;
  remove(): void;
}

interface Done {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a run of one manifest (JSON is YAML). */
export function runPods(manifest: unknown, flags: readonly string[] = []): RunningPods {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-pods-'));
  const file = join(folder, 'pods.yaml');
  const documents = Array.isArray(manifest) ? manifest : [manifest];
  writeFileSync(file, documents.map((one) => JSON.stringify(one)).join('\n---\n'));
  const env = { ...process.env, FAIRWAY_POD_SOCKET: join(folder, 'sock'), XDG_STATE_HOME: join(folder, 'state') };
  const child = spawn(process.execPath, [main, 'pod', 'run', file, '--logs', join(folder, 'logs'), ...flags], { env });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
      child.emit('said');
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const has = (text: string | RegExp) => {
    const all = said.stdout + said.stderr;
    return typeof text === 'string' ? all.includes(text) : text.test(all);
  };
  return {
    child,
    folder,
    ended,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    async saw(text) {
      const signal = AbortSignal.timeout(patienceMs);
      while (!has(text)) {
        const news = once(child, 'said', { signal });
        const over = await Promise.race([news.then(() => false), ended.then(() => true)]).catch(() => true);
        if (over && !has(text)) throw new Error(`never saw ${text}:\n${said.stdout}\n${said.stderr}`);
      }
    },
    fairway(...args) {
      const done = spawnSync(process.execPath, [main, 'pod', ...args], { env, encoding: 'utf8', timeout: patienceMs });
      return { status: done.status, stdout: done.stdout, stderr: done.stderr };
    },
    async meanwhile(...args) {
      const options = { env, timeout: patienceMs };
      return (await promisify(execFile)(process.execPath, [main, 'pod', ...args], options)).stdout;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Process ids whose command line holds a text; the dead that nobody has reaped do not count. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && commandLine(pid).includes(text));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** A pod of one main container that runs a shell script. */
export function shellPod(name: string, script: string, spec: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { restartPolicy: 'Never', ...spec, containers: [{ name: 'main', command: ['sh', '-c', script] }] },
  };
}
