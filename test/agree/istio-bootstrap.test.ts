// Live oracle: places made at random go through Istio's own bootstrap code and through our agent; the bootstrap, the node's metadata and
// the bootstrap of gRPC must be equal. Istio's template goes through our interpreter too. What is known to differ is in
// docs/reference/agent-differences.md, and is made equal here, by name.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { fakeHost } from '../../src/apps/agent/fake-host.ts';
import { runProxy } from '../../src/apps/agent/proxy.ts';
import { istioSource } from '../istio/chart.ts';
import { filesOf, type Place, place } from './environments.ts';
import { buildIstio } from './istio-program.ts';

const program = join(import.meta.dirname, 'istio-bootstrap');
const template = join(istioSource(join(program, 'go.mod')), 'tools/packaging/common/envoy_bootstrap.json');
const templatePath = './var/lib/istio/envoy/envoy_bootstrap_tmpl.json';
let folder = '';
let oracle = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-bootstrap-'));
  oracle = buildIstio('istio-bootstrap');
});
after(() => rmSync(folder, { recursive: true }));

interface Made {
  readonly bootstrap?: unknown;
  readonly grpc?: unknown;
  readonly error?: string;
}

function istio(given: Place, index: number): Made {
  const cwd = join(folder, String(index));
  mkdirSync(cwd);
  for (const [path, text] of Object.entries(filesOf(given))) {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const { env, role, addresses } = given;
  const argument = {
    template,
    id: `${role}~${addresses[0]}~web-1.shop~shop.svc.cluster.local`,
    addresses,
    concurrency: given.concurrency,
    outlierLogPath: given.outlierLogPath,
    logAsJson: given.logAsJson,
    exitOnZero: env['EXIT_ON_ZERO_ACTIVE_CONNECTIONS'] === 'true',
    metadataDiscovery: env['PEER_METADATA_DISCOVERY'] === undefined ? null : env['PEER_METADATA_DISCOVERY'] === 'true',
    skipDeprecatedLogs: env['ENVOY_SKIP_DEPRECATED_LOGS'] !== 'false',
    socketFile: 'socket',
    secureMetrics: Number(env['ENVOY_SECURE_METRICS_PORT'] ?? 0),
    secureMerged: Number(env['ENVOY_SECURE_MERGED_METRICS_PORT'] ?? 0),
    outputCerts: env['OUTPUT_CERTS'] ?? '',
  };
  const run = spawnSync(oracle, [JSON.stringify(argument)], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (run.status !== 0) throw new Error(`the oracle failed: ${run.stderr.slice(0, 2000)}`);
  const answer = JSON.parse(run.stdout) as { bootstrap?: string; grpc?: unknown; error?: string };
  return answer.bootstrap === undefined
    ? { error: answer.error ?? '' }
    : { bootstrap: parse(answer.bootstrap), grpc: answer.grpc };
}

/** Istio's template leaves a comma before a bracket, which Envoy forgives. */
function parse(text: string): unknown {
  return JSON.parse(text.replace(/,(\s*[}\]])/g, '$1'));
}

async function ours(given: Place, files: Readonly<Record<string, string>>): Promise<Made> {
  const host = fakeHost({ files: { ...filesOf(given), ...files }, addresses: given.addresses });
  const flags = [
    `--outlierLogPath=${given.outlierLogPath}`,
    `--concurrency=${given.concurrency}`,
    ...(given.logAsJson ? ['--log_as_json'] : []),
  ];
  const code = runProxy([given.role, '--compat=istio', ...flags], given.env, host);
  await host.advance(0);
  const [, path = ''] = host.spawned[0]?.args ?? [];
  const made = host.written.get(path);
  const grpc = host.written.get('./etc/istio/proxy/grpc-bootstrap.json');
  host.endEnvoy({ kind: 'code', code: 0 });
  await host.advance(0);
  await code;
  return made === undefined || grpc === undefined
    ? { error: host.lines.filter((line) => line.includes('cannot start')).join('\n') }
    : { bootstrap: parse(made), grpc: JSON.parse(grpc) };
}

/** What docs/reference/agent-differences.md lists, on Istio's side. */
function known(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => known(item));
    return key === 'patterns' ? items.filter((item) => !isEmptyPattern(item)) : items;
  }
  if (typeof value !== 'object' || value === null)
    return key === 'stats_flush_interval' ? seconds(String(value)) : value;
  if (key.startsWith('keepalive_') && 'value' in value) return value.value;
  const entries = Object.entries(value).filter(
    ([name, inner]) => name !== 'UserAgentVersionType' && !isUnverified(name, inner),
  );
  return Object.fromEntries(entries.map(([name, inner]) => [name, known(inner, name)]));
}

/** TLS that verifies nobody, written so that Envoy refuses it. */
function isUnverified(name: string, value: unknown): boolean {
  return name === 'combined_validation_context' && JSON.stringify(value) === '{"default_validation_context":{}}';
}

function isEmptyPattern(item: unknown): boolean {
  return Object.values(item as object).includes('');
}

/** `1m0s` as `60s`. */
function seconds(text: string): string {
  const [, minutes = '0', rest = '0', milli = ''] = /^(?:(\d+)m)?(?:([\d.]+)s)?(?:(\d+)ms)?$/.exec(text) ?? [];
  return milli === '' ? `${Number(minutes) * 60 + Number(rest)}s` : `${Number(milli) / 1000}s`;
}

const count = Number(process.env['RUNS'] ?? 150);
const shown = Number(process.env['SHOW'] ?? 3);

test("hundreds of places: Fairway's own bootstrap, Istio's template, gRPC's bootstrap as Istio makes them", async () => {
  const places = fc.sample(place, { seed: 1, numRuns: count });
  const different: string[] = [];
  let refused = 0;
  for (const [index, given] of places.entries()) {
    const theirs = istio(given, index);
    const own = await ours(given, {});
    const rendered = await ours(given, { [templatePath]: readFileSync(template, 'utf8') });
    if (theirs.error !== undefined) refused++;
    for (const [what, mine] of Object.entries({ own, rendered })) {
      const problem = compare(theirs, mine);
      if (problem !== undefined) different.push(`${index} ${what}: ${JSON.stringify(given)}\n${problem}`);
    }
  }
  assert.equal(different.length, 0, `${different.length} differ\n${different.slice(0, shown).join('\n')}`);
  assert.ok(refused > 0 && refused < count / 3, `${refused} of ${count} refused`);
});

function compare(theirs: Made, mine: Made): string | undefined {
  if (theirs.error !== undefined || mine.error !== undefined)
    return theirs.error !== undefined && mine.error !== undefined
      ? undefined
      : `Istio: ${theirs.error}\nours: ${mine.error}`;
  const found = [
    ...differences(mine.grpc, known(theirs.grpc), 'grpc'),
    ...differences(known(mine.bootstrap), known(theirs.bootstrap), 'bootstrap'),
  ];
  return found.length === 0 ? undefined : found.join('\n');
}

/** Paths whose values differ, each with ours and theirs. */
function differences(mine: unknown, theirs: unknown, path: string): string[] {
  if (isDeepStrictEqual(mine, theirs)) return [];
  if (typeof mine !== 'object' || typeof theirs !== 'object' || mine === null || theirs === null)
    return [`${path}: ours ${JSON.stringify(mine)}, Istio's ${JSON.stringify(theirs)}`];
  const [left, right] = [mine as Record<string, unknown>, theirs as Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) => differences(left[key], right[key], `${path}/${key}`));
}
