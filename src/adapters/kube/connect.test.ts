import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { UsageError } from '../../core/std/errors.ts';
import { placeOf } from './connect.ts';

interface Shape {
  readonly server?: string;
  readonly extra?: object;
  readonly current?: string;
}

function config({ server = 'https://api.example:6443', extra = {}, current = 'one' }: Shape): KubeConfig {
  const made = new KubeConfig();
  made.loadFromOptions({
    clusters: [{ name: 'c', server, skipTLSVerify: false, ...extra }],
    users: [{ name: 'u' }],
    contexts: ['one', 'two'].map((name) => ({ name, cluster: 'c', user: 'u' })),
    currentContext: current,
  });
  return made;
}

const found: readonly (readonly [what: string, shape: Shape, context: string | undefined, url: string])[] = [
  ['the current context', {}, undefined, 'https://api.example:6443/'],
  ['a context by name, where none is current', { current: '' }, 'two', 'https://api.example:6443/'],
  [
    'no TLS, as asked',
    { server: 'http://127.0.0.1:8001', extra: { skipTLSVerify: true } },
    'one',
    'http://127.0.0.1:8001/',
  ],
];
for (const [what, shape, context, url] of found) {
  test(`${what}: ${url}`, () => {
    assert.equal(placeOf(config(shape), context).url.href, url);
  });
}

const refused: readonly (readonly [
  what: string,
  shape: Shape,
  context: string | undefined,
  message: RegExp,
  hint: RegExp,
])[] = [
  ['a context that is not there', {}, 'three', /no context three/, /one, two/],
  ['no current context', { current: '' }, undefined, /names no cluster/, /--context; there are: one, two/],
  ['no TLS', { server: 'http://127.0.0.1:8001' }, undefined, /speaks no TLS: http/, /insecure-skip-tls-verify/],
  ['no address', { server: 'nonsense' }, undefined, /no address: nonsense/, /^/],
];
for (const [what, shape, context, message, hint] of refused) {
  test(`${what} is refused`, () => {
    assert.throws(
      () => placeOf(config(shape), context),
      (error) => error instanceof UsageError && message.test(error.message) && hint.test(error.hint ?? ''),
    );
  });
}

test('what the library makes up without a kubeconfig is none', () => {
  const made = new KubeConfig();
  made.loadFromClusterAndUser(
    { name: 'cluster', server: 'http://localhost:8080', skipTLSVerify: false },
    { name: 'user' },
  );
  assert.throws(() => placeOf(made, undefined), /there is no kubeconfig/);
});
