// The shared case of an init container that runs again in a pod that lives: only what is missing is added.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { completeRules, interceptConfig, interceptRules, parseSaved } from '../../src/core/intercept/index.ts';
import { plainFlags } from '../../src/core/intercept/plain-flags.ts';
import { readSharedJson, sharedPath } from './shared.ts';

const { inboundExclude, proxyUid } = readSharedJson('cases/a-istio-init-rerun/input.json') as {
  readonly inboundExclude: readonly number[];
  readonly proxyUid: number;
};
const { config } = interceptConfig(
  {
    ...plainFlags,
    uid: String(proxyUid),
    inboundPorts: '*',
    inboundPortsExcluded: inboundExclude.join(','),
    outboundRanges: '*',
  },
  { addresses: ['10.0.0.1'], nameservers: [] },
);
const wanted = interceptRules(config, 'v4');
const partial = readFileSync(sharedPath('cases/a-istio-init-rerun/input.txt'), 'utf8');

test('a-istio-init-rerun: partial: the jump, the chain of outbound, two ports before the redirect; nothing twice, nothing emptied', () => {
  const change = completeRules(wanted, parseSaved(partial));
  assert.ok(change.kind === 'restore');
  const lines = change.text.split('\n');
  assert.deepEqual(
    lines.filter((line) => line.includes('ISTIO_INBOUND')),
    ['-I ISTIO_INBOUND 3 -p tcp --dport 15021 -j RETURN', '-I ISTIO_INBOUND 4 -p tcp --dport 15090 -j RETURN'],
  );
  assert.ok(lines.includes('-A OUTPUT -j ISTIO_OUTPUT'));
  assert.equal(
    lines.filter((line) => line.startsWith('-A ISTIO_OUTPUT ')).length,
    wanted.get('nat')?.get('ISTIO_OUTPUT')?.length,
  );
  assert.deepEqual(
    lines.filter((line) => /^:|^-[FXDN]/.test(line)),
    [],
  );
});

test('a-istio-init-rerun: another redirect port is foreign content', () => {
  const change = completeRules(wanted, parseSaved(partial.replace('--to-ports 15001', '--to-ports 15002')));
  assert.ok(change.kind === 'foreign');
  assert.match(change.what.join(), /ISTIO_REDIRECT/);
});
