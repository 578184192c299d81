// The GitHub Action as a runner would run it: its script in a real repository, with a `gh` that records what it is asked.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';

const top = mkdtempSync(join(tmpdir(), 'fairway-action-'));
after(() => rmSync(top, { recursive: true }));

interface Ran {
  readonly status: number | null;
  readonly stderr: string;
  readonly calls: string;
  readonly body: string;
  readonly output: string;
}

/** A repository with a target branch and an edit on top of it; `existing` is the comment that is there already. */
function run(edit: string, existing = ''): Ran {
  const cwd = mkdtempSync(join(top, 'repo-'));
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd, stdio: 'ignore' });
  };
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(cwd, 'rollouts.yml'), 'production: {1-24-5: 100}\n');
  writeFileSync(join(cwd, 'names'), 'a\nb\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  git('remote', 'add', 'origin', '.');
  git('checkout', '--quiet', '-b', 'edit');
  writeFileSync(join(cwd, 'rollouts.yml'), edit);
  git('commit', '--quiet', '-a', '--allow-empty', '-m', 'two');
  mkdirSync(join(cwd, 'bin'));
  const gh = `#!/bin/sh\necho "$*" >>"${cwd}/calls"\ncase "$*" in *--paginate*) echo "${existing}" ;; *) for a; do case $a in body=@*) cp "\${a#body=@}" "${cwd}/body" ;; esac; done ;; esac\n`;
  writeFileSync(join(cwd, 'bin/gh'), gh, { mode: 0o755 });
  const env = {
    PATH: `${join(cwd, 'bin')}:${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: cwd,
    ROLLOUTS: 'rollouts.yml',
    NAMESPACES: 'names',
    PULL_REQUEST: '7',
    GITHUB_BASE_REF: 'main',
    GITHUB_REPOSITORY: 'o/r',
    GITHUB_OUTPUT: join(cwd, 'output'),
  };
  const { status, stderr } = spawnSync('bash', [resolve('scripts/action.sh')], { cwd, env, encoding: 'utf8' });
  const read = (file: string): string => (existsSync(join(cwd, file)) ? readFileSync(join(cwd, file), 'utf8') : '');
  return { status, stderr, calls: read('calls'), body: read('body'), output: read('output') };
}

test('action: a new comment, and it says that something moves', () => {
  const { status, stderr, calls, body, output } = run('production: {1-25-2: 100}\n');
  assert.equal(status, 0, stderr);
  assert.match(calls, /--method POST repos\/o\/r\/issues\/7\/comments/);
  assert.match(body, /^<!-- fairway plan -->\n[^]*2 of 2 namespaces move/);
  assert.equal(output, 'moves=true\n');
});

test('action: the comment that is there is changed', () => {
  const { status, calls, body, output } = run('production: {1-24-5: 100}\n', '42');
  assert.equal(status, 0);
  assert.match(calls, /--method PATCH repos\/o\/r\/issues\/comments\/42/);
  assert.match(body, /Nothing moves/);
  assert.equal(output, '');
});

test('action: an invalid file is said in the comment, and fails', () => {
  const { status, body } = run('production: {1-24-5: 99}\n');
  assert.equal(status, 2);
  assert.match(body, /No plan[^]*sum to 99/);
});

test('action: every input reaches the script', () => {
  const action = parse(readFileSync('action.yml', 'utf8')) as {
    inputs: Record<string, unknown>;
    runs: { steps: { env: Record<string, string> }[] };
  };
  const env = Object.values(action.runs.steps[0]?.env ?? {}).join(' ');
  for (const input of Object.keys(action.inputs)) assert.ok(env.includes(`inputs.${input} }}`), input);
  const script = readFileSync('scripts/action.sh', 'utf8');
  for (const name of Object.keys(action.runs.steps[0]?.env ?? {}))
    if (name !== 'GH_TOKEN') assert.ok(script.includes(`$${name}`) || script.includes(`\${${name}`), name);
});
