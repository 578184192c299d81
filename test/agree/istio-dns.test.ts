// Live oracle: Istio's own DNS server and ours get the same table and the same messages, with the same server behind them; every
// difference is a bug, except those named here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { PlainMessage } from '../../src/core/dns/plain-message.ts';
import { bunBinary } from '../envoy/parts.ts';
import { namespace } from '../netns/namespace.ts';
import { buildIstio } from './istio-program.ts';

let program = '';
before(() => {
  program = buildIstio('istio-inject', './dns');
});

interface Line {
  readonly what: string;
  readonly theirs: PlainMessage | null;
  readonly ours: PlainMessage | null;
}

/** Differences that are meant, by what was asked. */
const meant: Readonly<Record<string, string>> = {
  'udp db-2.headless.shop.svc.cluster.local. A':
    'a host of this name exists: its address, not that of the short name db-2.headless with the search domain behind it',
  'udp Mixed.shop.svc.cluster.local. A': 'the same: Istio finds the host itself only where it is written in lower case',
  'udp mixed.shop.svc.cluster.local. A': 'the same',
};

for (const [runtime, address, parallel] of [
  ['node', '127.0.0.8:15053', false],
  ['bun', '127.0.0.8:15053', true],
  ['node', '127.0.0.8:53', false],
] as const) {
  test(`${runtime} at ${address}${parallel ? ', servers in parallel' : ''}: answers as Istio's`, (t) => {
    const ns = namespace(
      t,
      'nameserver 127.0.0.1\nnameserver 127.0.0.2\nsearch shop.svc.cluster.local svc.cluster.local\n',
    );
    const driver = join(import.meta.dirname, 'dns-side-by-side.ts');
    const binary = runtime === 'node' ? process.execPath : bunBinary();
    const { status, output } = ns.run(binary, driver, program, ...address.split(':'), String(parallel));
    assert.equal(status, 0, output);
    const lines = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    assert.ok(lines.length > 200);
    const different = lines.filter(
      ({ theirs, ours }) => JSON.stringify(comparable(theirs)) !== JSON.stringify(comparable(ours)),
    );
    const unmeant = different.filter(({ what }) => meant[what] === undefined);
    assert.deepEqual(unmeant, [], `${unmeant.length} of ${lines.length} differ`);
    assert.deepEqual(
      Object.keys(meant).filter((what) => !different.some((line) => line.what === what)),
      [],
    );
  });
}

/** Addresses come in a random order; of a cut answer only their number counts. */
function comparable(message: PlainMessage | null): unknown {
  if (message === null) return message;
  const { flags, answers } = message;
  return { ...message, answers: flags.includes('TC') ? answers.length : answers.toSorted() };
}
