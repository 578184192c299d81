// One order at a certificate authority by Istio's certificate service: key, request, call, and a look at what came. Each call has a
// connection of its own, with root, token and client certificate as they are at that moment: all of them rotate, and calls are hours apart.
import {
  type CaTarget,
  certificateChain,
  certificateOrder,
  certificateRequest,
  certificateService,
  type Failure,
  type Identity,
  type IdentityInput,
  type KeyKind,
  pemFile,
  tokenFile,
} from '../../../core/identity/index.ts';
import type { GrpcAnswer, GrpcTarget } from '../../../ports/grpc.ts';
import type { Host } from '../../../ports/host.ts';
import type { PrivateKey } from '../../../ports/keys.ts';
import { tlsFrom } from '../grpc-tls.ts';

export interface Orders {
  readonly target: CaTarget;
  readonly identity: Identity;
  readonly keyKind: KeyKind;
  readonly keyForm: 'traditional' | 'pkcs8';
  readonly lifeMs: number;
  readonly signer: string;
  readonly showsToken: boolean;
  /** Metadata of each call, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

type Answered = Extract<IdentityInput, { kind: 'issued' | 'refused' }>;

/** A CA that is overloaded answers late; one that is away is noticed by the connection. */
const callTimeoutMs = 20_000;
const connectTimeoutMs = 5000;
const largestAnswer = 2 ** 20;

/** Orders certificates; `same` repeats a request with the key that it had. */
export function ordersAt(host: Host, orders: Orders): (key: 'new' | 'same') => Promise<Answered> {
  let key: PrivateKey | undefined;
  return async (wanted) => {
    if (wanted === 'new' || key === undefined) key = await host.keys.make(orders.keyKind, orders.keyForm);
    const target = targetOf(host, orders.target);
    if (typeof target === 'string') return refused(target, 'lasting');
    const csr = certificateRequest(orders.identity, key);
    const answer = await call(host, target, orders, csr);
    return answer.kind === 'failed' ? failed(answer) : issued(host, answer.message, key);
  };
}

async function call(host: Host, target: GrpcTarget, orders: Orders, csr: string): Promise<GrpcAnswer> {
  const { lifeMs, signer, headers, showsToken } = orders;
  const token = showsToken ? (host.files.read(tokenFile)?.trim() ?? '') : '';
  const message = certificateOrder({ csr, lifeSeconds: lifeMs / 1000, signer });
  const metadata = token === '' ? headers : { ...headers, authorization: `Bearer ${token}` };
  const options = { metadata, timeoutMs: callTimeoutMs, maxBytes: largestAnswer };
  const channel = host.grpc.connect(target);
  try {
    return await channel.unary(`/${certificateService}/CreateCertificate`, message, options);
  } finally {
    channel.close();
  }
}

/** Or what is missing for it. */
function targetOf(host: Host, { host: name, port, tls: files }: CaTarget): GrpcTarget | string {
  const tls = files === undefined ? undefined : tlsFrom(files, host);
  return typeof tls === 'string' ? tls : { at: { kind: 'tcp', host: name, port }, tls, connectTimeoutMs };
}

function failed({ status }: Extract<GrpcAnswer, { kind: 'failed' }>): Answered {
  const soon = transient.has(status.code);
  return refused(`${status.code}: ${status.message}`, soon ? 'transient' : 'lasting');
}

/** As in Istio's agent (pkg/security/retry.go). */
const transient = new Set<string>([
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'RESOURCE_EXHAUSTED',
  'ABORTED',
  'INTERNAL',
  'UNAVAILABLE',
]);

function issued({ keys, clock }: Host, message: Uint8Array, key: PrivateKey): Answered {
  const certificates = certificateChain(message);
  if (certificates === undefined) return refused('the answer holds no chain of certificates', 'lasting');
  const chain = pemFile(certificates);
  const facts = keys.certificate(chain);
  if (facts === undefined) return refused('the answer holds a certificate that cannot be read', 'lasting');
  const wrong = keys.pairProblem(chain, key.pem);
  if (wrong !== undefined) return refused(wrong, 'lasting');
  const root = pemFile(certificates.slice(-1));
  const life = { createdMs: clock.wallMs(), expiresMs: facts.expiresMs };
  return { kind: 'issued', issued: { chain, key: key.pem, root, ...life } };
}

function refused(problem: string, failure: Failure): Answered {
  return { kind: 'refused', problem, failure };
}
