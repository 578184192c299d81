import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptFor, commonFormat, metricsFormat } from './metrics-format.ts';

const least = 'text/plain;version=0.0.4';
const prometheus3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';
for (const [header, envoy, application] of [
  [undefined, least, least],
  ['', least, least],
  ['text/plain', 'text/plain; q=0.1', 'text/plain; q=0.1'],
  ['*/*', 'text/plain; version=0.0.4; q=0.1', 'text/plain; version=0.0.4; q=0.1'],
  ['application/json', least, least],
  ['application/*', least, 'application/openmetrics-text; version=0.0.1; q=0.1'],
  ['application/vnd.google.protobuf;encoding=delimited,text/*;q=0.5', 'text/*; q=0.1', 'text/*; q=0.1'],
  ['text/plain;;', least, least],
  [
    prometheus3,
    'text/plain; version=1.0.0; escaping=allow-utf-8; q=0.2,text/plain; version=0.0.4; q=0.1',
    'application/openmetrics-text; version=1.0.0; escaping=allow-utf-8; q=0.4,application/openmetrics-text; version=0.0.1; q=0.3,text/plain; version=1.0.0; escaping=allow-utf-8; q=0.2,text/plain; version=0.0.4; q=0.1',
  ],
] as const) {
  test(`accepted of ${header?.slice(0, 60)}`, () => {
    assert.deepEqual([acceptFor(header, 'envoy'), acceptFor(header, 'application')], [envoy, application]);
  });
}

const plain = 'text/plain; version=0.0.4; charset=utf-8';
const open = (version: string): string => `application/openmetrics-text; version=${version}; charset=utf-8`;
for (const [given, expected] of [
  [undefined, plain],
  ['text/html', plain],
  ['application/openmetrics-text', open('0.0.1')],
  ['application/openmetrics-text; charset=utf-8; version=1.0.0', open('1.0.0')],
  ['application/openmetrics-text; version="1.0.0"', open('1.0.0')],
  ['Application/OpenMetrics-Text; version=0.0.1', open('0.0.1')],
  ['application/openmetrics-text; version=2.0.0', plain],
] as const) {
  test(`told as: ${given}`, () => assert.equal(metricsFormat(given), expected));
}

test('several: the format that all have, or the plain one', () => {
  const [one, two] = ['application/openmetrics-text; version=1.0.0', 'text/plain'];
  assert.deepEqual([[], [one], [one, one], [one, two], [two, two]].map(commonFormat), [
    plain,
    open('1.0.0'),
    open('1.0.0'),
    plain,
    plain,
  ]);
});
