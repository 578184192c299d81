// A stand-in for istiod's injector of some revisions: it marks a pod with the revision whose configuration called it, in the annotation
// that the real one writes. It adds no container, because no pod of this suite ever runs.
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issue, newAuthority } from '../../src/apps/admission/authority.ts';
import { apply, type Pod } from './kube.ts';

const statusAnnotation = 'sidecar.istio.io/status';

export interface StandIn {
  readonly server: Server;
  /** Applies the configuration of a revision, named as istiod's is unless another name is given. */
  readonly configure: (revision: string, name?: string) => void;
}

/** The revision that a pod was injected with. */
export function injectedBy({ metadata }: Pod): string | undefined {
  const status = metadata.annotations?.[statusAnnotation];
  return status === undefined ? undefined : (JSON.parse(status) as { revision: string }).revision;
}

export async function startInjector(): Promise<StandIn> {
  const life = { nowMs: Date.now(), lifeMs: 86_400_000 };
  const authority = await newAuthority(life);
  const server = createServer(await issue(authority, ['localhost'], life), (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { request: review } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { request: Review };
      const patch = Buffer.from(JSON.stringify(mark(review, request.url?.split(/[/?]/)[2] ?? ''))).toString('base64');
      const answer = { uid: review.uid, allowed: true, patchType: 'JSONPatch', patch };
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  // API servers drop idle connections after 90 s: who closes first may cut a call that is under way.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const at = { port, ca: authority.cert };
  return { server, configure: (revision, name) => apply(configuration(revision, at, name)) };
}

interface Review {
  readonly uid: string;
  readonly object: { readonly metadata: { readonly annotations?: object } };
}

function mark({ object }: Review, revision: string): object[] {
  const value = JSON.stringify({ revision });
  if (object.metadata.annotations === undefined)
    return [{ op: 'add', path: '/metadata/annotations', value: { [statusAnnotation]: value } }];
  return [{ op: 'add', path: `/metadata/annotations/${statusAnnotation.replace('/', '~1')}`, value }];
}

function configuration(
  revision: string,
  { port, ca }: { readonly port: number; readonly ca: string },
  name = `istio-sidecar-injector-${revision}`,
): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: {
      name,
      labels: { 'istio.io/rev': revision, app: 'sidecar-injector' },
    },
    webhooks: [
      {
        name: 'rev.object.sidecar-injector.istio.io',
        clientConfig: {
          url: `https://localhost:${port}/inject/${revision}`,
          caBundle: Buffer.from(ca).toString('base64'),
        },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: {
          matchExpressions: ['istio.io/rev', 'istio-injection'].map((key) => ({ key, operator: 'DoesNotExist' })),
        },
        objectSelector: {
          matchExpressions: [
            { key: 'sidecar.istio.io/inject', operator: 'NotIn', values: ['false'] },
            { key: 'istio.io/rev', operator: 'In', values: [revision] },
          ],
        },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}
