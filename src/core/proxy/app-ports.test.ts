import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePodPorts } from './app-ports.ts';

const rows: readonly (readonly [text: string, tcp: readonly number[] | RegExp])[] = [
  ['', []],
  ['[]', []],
  [
    '[{"name":"web","containerPort":8080,"protocol":"TCP"},{"containerPort":53,"protocol":"UDP"},{"containerPort":81}]',
    [81, 8080],
  ],
  ['[{"containerPort":80},{"containerPort":80}]', [80]],
  ['{"containerPort":80}', /no.* JSON list/],
  ['[80', /no.* JSON list/],
  ['[80]', /holds no port: 80/],
  ['[null]', /holds no port: null/],
  ['[{"containerPort":"80"}]', /holds no port/],
  ['[{"containerPort":0}]', /holds no port/],
  ['[{"containerPort":65536}]', /holds no port/],
];
for (const [text, expected] of rows) {
  test(`the application's ports: ${text || 'nothing'}`, () => {
    const found = parsePodPorts(text);
    if (expected instanceof RegExp) assert.match(found.kind === 'invalid' ? found.problem : 'valid', expected);
    else assert.deepEqual(found, { kind: 'ports', tcp: expected });
  });
}
