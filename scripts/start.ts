// What `npm start` shows: the main job on the example fleet. Prints each command before its output, as a person would type it.
import { runCommandLine } from '../src/cli/run.ts';

const commands: readonly (readonly string[])[] = [
  ['validate', '--namespaces', 'namespaces.txt'],
  ['plan', '--from', 'rollouts.before.yml', '--to', 'rollouts.yml', '--snapshot', 'snapshot.json'],
  ['mutate', '--diff', 'manifests'],
  ['mutate', 'manifests'],
];

process.chdir(new URL('../examples/fleet/', import.meta.url).pathname);
process.stdout.write(
  'The example fleet (examples/fleet): an edit of rollouts.yml, what it moves, and what CI then writes.\n',
);
for (const args of commands) {
  process.stdout.write(`\n$ fairway ${args.join(' ')}\n`);
  const { stdin, stdout, stderr, env } = process;
  const code = await runCommandLine(args, {
    stdin,
    stdout,
    stderr,
    env,
    cwd: process.cwd(),
    nowMs: Date.now,
    exitCode: 0,
  });
  if (code > 1) process.exitCode = code;
}
process.stdout.write(
  '\nEdit examples/fleet/rollouts.yml and run this again; `npm run --silent fairway -- --help` lists every command.\n',
);
