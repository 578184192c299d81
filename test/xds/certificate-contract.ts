// What the agent expects of a certificate authority, tried on the small one of the tests and on the real istiod: whoever passes can stand
// in for the other.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, test } from 'node:test';
import { nodeHost } from '../../src/adapters/node/host.ts';
import { type Orders, ordersAt } from '../../src/apps/agent/identity/ca.ts';
import { type Issued, pemCertificates, tokenFile } from '../../src/core/identity/index.ts';
import type { Host } from '../../src/ports/host.ts';

export interface CaUnderTest {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  /** PEM. */
  readonly root: string;
  /** A token that it knows, of namespace `shop` and account `cart`. */
  readonly token: string;
  readonly end: () => void | Promise<void>;
}

const identity = { trustDomain: 'cluster.local', namespace: 'shop', serviceAccount: 'cart' };
const uri = 'URI:spiffe://cluster.local/ns/shop/sa/cart';
const rootFile = '/root.pem';
const clientFiles = { chain: '/client.pem', key: '/client-key.pem' };
const hourMs = 3_600_000;

/** This machine's host, but with these files alone. */
function hostWith(files: Readonly<Record<string, string>>): Host {
  const host = nodeHost();
  return { ...host, files: { ...host.files, read: (path) => files[path] } };
}

type Answer = Awaited<ReturnType<ReturnType<typeof ordersAt>>>;

export function caContract(name: string, start: () => Promise<CaUnderTest>): void {
  // At the first test, so that it comes after every hook of its suite.
  let begun: Promise<CaUnderTest> | undefined;
  const ca = (): Promise<CaUnderTest> => {
    begun ??= start();
    return begun;
  };
  after(async () => (await begun)?.end());

  const order = async (files: Readonly<Record<string, string>>, more: Partial<Orders> = {}): Promise<Answer> => {
    const { host, port, serverName, root } = await ca();
    const orders = ordersAt(hostWith({ [rootFile]: root, ...files }), {
      target: { host, port, tls: { serverName, rootFile, clientFiles } },
      identity,
      keyKind: 'ecdsa-p256',
      keyForm: 'traditional',
      lifeMs: hourMs,
      signer: '',
      showsToken: true,
      headers: { clusterid: 'Kubernetes' },
      ...more,
    });
    return orders('new');
  };
  const issued = async (...given: Parameters<typeof order>): Promise<Issued> => {
    const answer = await order(...given);
    assert.equal(answer.kind, 'issued', JSON.stringify(answer));
    return answer.kind === 'issued' ? answer.issued : assert.fail();
  };
  const token = async (): Promise<Readonly<Record<string, string>>> => ({ [tokenFile]: (await ca()).token });

  for (const keyKind of ['rsa-2048', 'ecdsa-p256', 'ecdsa-p384'] as const)
    test(`${name}: a certificate for a key of ${keyKind}`, async () => {
      const { chain, key, root, expiresMs } = await issued(await token(), { keyKind });
      const leaf = new X509Certificate(chain);
      assert.equal(leaf.subjectAltName, uri);
      assert.equal(nodeHost().keys.pairProblem(chain, key), undefined);
      assert.deepEqual(pemCertificates(root), pemCertificates((await ca()).root));
      assert.equal(leaf.verify(new X509Certificate(root).publicKey), true, 'signed by the root that it names');
      const leftMs = expiresMs - Date.now();
      assert.ok(leftMs > hourMs / 2 && leftMs <= hourMs + 60_000, `it lives for ${leftMs} ms`);
    });

  test(`${name}: who asks for another's identity gets its own`, async () => {
    const { chain } = await issued(await token(), { identity: { ...identity, serviceAccount: 'admin' } });
    assert.equal(new X509Certificate(chain).subjectAltName, uri);
  });

  test(`${name}: a certificate that holds stands for the token`, async () => {
    const first = await issued(await token());
    const { chain } = await issued({ [clientFiles.chain]: first.chain, [clientFiles.key]: first.key });
    assert.equal(new X509Certificate(chain).subjectAltName, uri);
  });

  for (const [what, files] of [
    ['no token', {}],
    ['a token of nobody', { [tokenFile]: 'eyJhbGciOiJub25lIn0.e30.' }],
  ] as const)
    test(`${name}: ${what}`, async () => {
      const answer = await order(files);
      assert.ok(answer.kind === 'refused' && answer.failure === 'lasting', JSON.stringify(answer));
      assert.match(answer.problem, /^UNAUTHENTICATED: /);
    });

  test(`${name}: a CA of another root is not asked`, async () => {
    const other = (await issued(await token())).chain; // a certificate, but no root of it
    const answer = await order({ ...(await token()), [rootFile]: pemCertificates(other)[0] ?? '' });
    assert.ok(answer.kind === 'refused' && answer.failure === 'transient', JSON.stringify(answer));
    assert.match(answer.problem, /^UNAVAILABLE: .*certificate/);
  });
}
