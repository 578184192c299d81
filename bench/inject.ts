// Injection of 10 kB and 50 kB pods with Istio's templates: CPU time of the pure function, from the parsed review to the patch's text.
import { fileURLToPath } from 'node:url';
import { injectReview, type JsonObject, parseInjector } from '../src/core/inject/index.ts';
import { chartTexts, istioSource } from '../test/istio/chart.ts';
import type { Row } from './measure.ts';

export const title = 'Injection, 1,000 reviews with Istio’s templates (CPU time)';

const goMod = fileURLToPath(new URL('../test/agree/istio-inject/go.mod', import.meta.url));
const config = parseInjector(chartTexts(istioSource(goMod), { revision: '1-25-2' }));
const reviews = 1000;

/** Reviews of one size; each pod is another, so that nothing can be remembered from one to the next. */
export function run(): Row[] {
  return [
    row('10 kB, fairway', pods(10_000), { compat: 'fairway' }),
    row('10 kB, istio', pods(10_000), { compat: 'istio' }),
    row('50 kB, fairway', pods(50_000), { compat: 'fairway' }),
    row('10 kB, pods of one workload', oneWorkload(), { compat: 'fairway' }),
  ];
}

interface Setting {
  readonly compat: 'fairway' | 'istio';
}

function row(name: string, texts: readonly string[], { compat }: Setting): Row {
  const coldMs = cpuMs(() => answerAll(texts, compat));
  const times = Array.from({ length: 5 }, () => cpuMs(() => answerAll(texts, compat))).sort((a, b) => a - b);
  return { name, coldMs, medianMs: times[2] ?? 0 };
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function answerAll(texts: readonly string[], compat: Setting['compat']): void {
  for (const text of texts) {
    const result = injectReview(JSON.parse(text) as JsonObject, {
      config,
      revision: '1-25-2',
      nativeSidecars: true,
      proxyEnv: {},
      compat,
    });
    if (result.kind !== 'injected' || JSON.stringify(result.patch).length < 5000)
      throw new Error(JSON.stringify(result).slice(0, 300));
  }
}

/** A burst of one Deployment's pods. */
function oneWorkload(): readonly string[] {
  const [first = ''] = pods(10_000);
  return Array.from({ length: reviews }, () => first);
}

function pods(bytes: number): readonly string[] {
  return Array.from({ length: reviews }, (_, i) => {
    const env = Array.from({ length: 40 }, (_each, k) => ({ name: `SETTING_${k}`, value: `value ${k} of pod ${i}` }));
    const request: JsonObject = {
      namespace: 'team-a',
      object: {
        metadata: {
          generateName: `web-${i}-7d9c5b-`,
          labels: { app: `web-${i}`, 'pod-template-hash': '7d9c5b', 'istio.io/rev': '1-25-2' },
          annotations: { 'prometheus.io/port': '9100', note: '' },
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `web-${i}-7d9c5b`, uid: 'u', controller: true },
          ],
        },
        spec: {
          serviceAccountName: 'web',
          terminationGracePeriodSeconds: 45,
          volumes: [
            { name: 'data', emptyDir: {} },
            {
              name: 'kube-api-access',
              projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3607 } }] },
            },
          ],
          containers: [
            {
              name: 'app',
              image: `registry.example/web:${i}`,
              ports: [{ name: 'http', containerPort: 8080 }],
              env,
              resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } },
              readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
              livenessProbe: { httpGet: { path: '/live', port: 8080 } },
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
            },
          ],
        },
      },
    };
    const pad = bytes - JSON.stringify(request).length;
    ((request['object'] as JsonObject)['metadata'] as { annotations: Record<string, string> }).annotations['note'] =
      'x'.repeat(Math.max(0, pad));
    return JSON.stringify(request);
  });
}
