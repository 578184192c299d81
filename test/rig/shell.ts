// Programs that are run to their end; a failure is an error with what the program said.
import { type ExecFileSyncOptions, execFileSync, spawnSync } from 'node:child_process';

/** Runs a program and returns what it printed; `options.input` is given to it. */
export function sh(program: string, args: readonly string[], options: ExecFileSyncOptions = {}): string {
  const stdio = ['pipe', 'pipe', 'pipe'] as const;
  return String(execFileSync(program, args, { maxBuffer: 1 << 28, ...options, stdio: [...stdio] }));
}

/** Whether a program ends with 0 within ten seconds. */
export function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

export function say(text: string): void {
  process.stderr.write(`rig: ${text}\n`);
}
