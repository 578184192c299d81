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
  readonly stdout: string;
  readonly summary: string;
}

interface Runner {
  /** The comment that is there already. */
  readonly existing?: string;
  /** As actions/checkout does by default: one commit, of the merge. */
  readonly shallow?: boolean;
  /** As for a pull request from a fork: `gh` may not write. */
  readonly readOnly?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** The action in a repository with a target branch and an edit on top of it. */
function run(edit: string, { existing = '', shallow = false, readOnly = false, env: more = {} }: Runner = {}): Ran {
  let cwd = mkdtempSync(join(top, 'repo-'));
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
  if (shallow) {
    git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    const origin = cwd;
    cwd = mkdtempSync(join(top, 'shallow-'));
    git('init', '--quiet');
    git('remote', 'add', 'origin', `file://${origin}`);
    git('fetch', '--quiet', '--depth', '1', 'origin', 'edit');
    git('checkout', '--quiet', '--detach', 'FETCH_HEAD');
  }
  mkdirSync(join(cwd, 'bin'));
  const gh = `#!/bin/sh\necho "$*" >>"${cwd}/calls"\ncase "$*" in *--paginate*) echo "${existing}" ;; *) ${readOnly ? 'echo 403 >&2; exit 1; ' : ''}for a; do case $a in body=@*) cp "\${a#body=@}" "${cwd}/body" ;; esac; done ;; esac\n`;
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
    GITHUB_STEP_SUMMARY: join(cwd, 'summary'),
    ...more,
  };
  const { status, stdout, stderr } = spawnSync('bash', [resolve('scripts/action.sh')], { cwd, env, encoding: 'utf8' });
  const read = (file: string): string => (existsSync(join(cwd, file)) ? readFileSync(join(cwd, file), 'utf8') : '');
  return {
    status,
    stdout,
    stderr,
    calls: read('calls'),
    body: read('body'),
    output: read('output'),
    summary: read('summary'),
  };
}

test('action: a new comment, and it says that something moves', () => {
  const { status, stderr, calls, body, output } = run('production: {1-25-2: 100}\n');
  assert.equal(status, 0, stderr);
  assert.match(calls, /--method POST repos\/o\/r\/issues\/7\/comments/);
  assert.match(body, /^<!-- fairway plan -->\n[^]*2 of 2 namespaces move/);
  assert.equal(output, 'moves=true\n');
});

test('action: the comment that is there is changed', () => {
  const { status, calls, body, output } = run('production: {1-24-5: 100}\n', { existing: '42' });
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

test('action: the shallow clone of actions/checkout is enough', () => {
  const { status, body, stderr } = run('production: {1-25-2: 100}\n', { shallow: true });
  assert.equal(status, 0, stderr);
  assert.match(body, /2 of 2 namespaces move/);
});

test('action: a token that may only read leaves the plan in the summary', () => {
  const { status, body, stdout, summary } = run('production: {1-25-2: 100}\n', { readOnly: true });
  assert.deepEqual([status, body], [0, '']);
  assert.match(stdout, /^::notice .*summary/m);
  assert.match(summary, /2 of 2 namespaces move/);
});

test('action: a base that is not there, and no base, are said', () => {
  const edit = 'production: {1-25-2: 100}\n';
  const unknown = run(edit, { env: { BASE: 'nowhere' } });
  assert.deepEqual([unknown.status, unknown.calls], [2, '']);
  assert.match(unknown.stdout, /::error .*there is no base nowhere/);
  assert.match(run(edit, { env: { GITHUB_BASE_REF: '' } }).stdout, /::error .*give the input base/);
});

test('action: a file cannot close the fence around what is wrong with it', () => {
  const { body } = run('production: {1-24-5: 100}\n"a(```": {1-24-5: 100}\n');
  assert.equal(body.split('```').length, 3, body);
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
