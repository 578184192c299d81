// What the owners of a namespace have in their repository: manifests, rollouts.yml, fairway.yml; and how their CI applies them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fairway, kubectl } from '../../cluster/kube.ts';
import { namespace } from './stage.ts';

export interface Repository {
  /** Where rollouts.yml and fairway.yml are. */
  readonly folder: string;
  readonly write: (name: 'rollouts.yml' | 'fairway.yml', text: string) => void;
  /** `fairway mutate | kubectl apply`. */
  readonly deploy: () => Promise<void>;
  readonly remove: () => void;
}

/** Manifests as their owners wrote them, without a revision. */
export function newRepository(manifests: readonly string[]): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-shop-'));
  const charts = join(folder, 'manifests');
  mkdirSync(charts);
  for (const [i, text] of manifests.entries()) writeFileSync(join(charts, `${i}.yaml`), text);
  return {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    deploy: async () => {
      const mutated = await fairway('mutate', '--rollouts', join(folder, 'rollouts.yml'), charts);
      assert.equal(mutated.status, 0, mutated.stderr);
      kubectl(['apply', '-f', '-'], mutated.stdout);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export interface Application {
  readonly name: string;
  readonly replicas?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  /** See ../pods/app.ts. */
  readonly env?: Readonly<Record<string, string>>;
  readonly protocol?: 'http' | 'http2';
  readonly graceSeconds?: number;
}

/** A Deployment and its Service. A probe by HTTP speaks HTTP/1.1, so HTTP/2 is probed by TCP. A pod that is ready stays so, however busy the machine is. */
export function application({ name, protocol = 'http', ...rest }: Application): string {
  const { replicas = 1, annotations = {}, env = {}, graceSeconds = 30 } = rest;
  const probe = protocol === 'http' ? 'httpGet: {path: /ready, port: 8080}' : 'tcpSocket: {port: 8080}';
  const variables = Object.entries(env).map(([key, value]) => ({ name: key, value }));
  return `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {selector: {app: ${name}}, ports: [{name: ${protocol}, port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata:
      labels: {app: ${name}}
      annotations: ${JSON.stringify(annotations)}
    spec:
      terminationGracePeriodSeconds: ${graceSeconds}
      containers:
        - name: app
          image: rig.test/programs:1
          args: [/app.ts]
          env: ${JSON.stringify(variables)}
          ports: [{containerPort: 8080}]
          readinessProbe: {${probe}, periodSeconds: 1, timeoutSeconds: 10, failureThreshold: 30}
`;
}
