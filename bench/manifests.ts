// A stream of manifests as charts render them: services of many shapes, with their ConfigMaps, comments and the odd flow mapping. The
// same seed gives the same bytes.
import { type Prng, prng } from '../src/core/std/prng.ts';

/** At least `bytes` bytes of YAML, one document for each object. */
export function manifestStream(bytes: number, seed = 'manifests'): string {
  const random = prng(seed);
  const parts: string[] = [];
  for (let size = 0, i = 0; size < bytes; i++) {
    const part = service(random, i);
    parts.push(part);
    size += part.length;
  }
  return parts.join('');
}

/** How often each document of an application is there. */
function service(random: Prng, i: number): string {
  const name = `${pick(random, ['cart', 'search', 'billing', 'mail', 'ledger', 'quote'])}-${i}`;
  const namespace = `team-${Math.floor(random.next() * 400)}`;
  const documents = [
    workload(random, name, namespace),
    serviceObject(name, namespace),
    configMap(random, name, namespace),
  ];
  if (random.next() < 0.3) documents.push(account(name, namespace));
  if (random.next() < 0.2) documents.push(cronJob(name, namespace));
  return documents.map((document) => `---\n# Source: shop/charts/${name}/templates/objects.yaml\n${document}`).join('');
}

function workload(random: Prng, name: string, namespace: string): string {
  const kind = pick(random, ['Deployment', 'Deployment', 'Deployment', 'StatefulSet', 'DaemonSet']);
  const containers = Array.from({ length: 1 + Math.floor(random.next() * 3) }, (_, i) => container(random, name, i));
  return `apiVersion: apps/v1
kind: ${kind}
metadata:
  name: ${name}
  namespace: ${namespace}
  labels:
    app.kubernetes.io/name: ${name}
    app.kubernetes.io/managed-by: Helm
    helm.sh/chart: shop-1.${Math.floor(random.next() * 90)}.0
  annotations:
    owner: "${namespace}@example.test"
    description: >-
      Serves ${name} to the shop. Asks the ledger and the mail service, and is
      asked by the front end; pages ${namespace} when it is slow.
spec:
  replicas: ${1 + Math.floor(random.next() * 9)}
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  template:
    metadata:
      annotations:
        checksum/config: ${hex(random, 64)}
        prometheus.io/scrape: "true"
      labels:
        app.kubernetes.io/name: ${name}
        app.kubernetes.io/managed-by: Helm
    spec:
      serviceAccountName: ${name}
      terminationGracePeriodSeconds: 45
      securityContext: {runAsNonRoot: true, runAsUser: 10001}
      containers:
${containers.join('')}      volumes:
        - name: config
          configMap:
            name: ${name}
            defaultMode: 0444
        - name: scratch
          emptyDir: {}
`;
}

function container(random: Prng, name: string, i: number): string {
  const variables = Array.from(
    { length: 4 + Math.floor(random.next() * 12) },
    (_, n) => `            - name: SETTING_${n}
              value: "${hex(random, 12)}"
`,
  );
  return `        - name: ${i === 0 ? 'app' : `helper-${i}`}
          image: registry.example.test/shop/${name}:${hex(random, 12)}
          imagePullPolicy: IfNotPresent
          args: ["--port", "${8080 + i}", '--log=json']
          ports:
            - name: http
              containerPort: ${8080 + i}
          env:
${variables.join('')}          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 512Mi
          readinessProbe:
            httpGet:
              path: /ready
              port: http
            periodSeconds: 5 # fast enough for a roll-out
          volumeMounts:
            - name: config
              mountPath: /etc/${name}
              readOnly: true
`;
}

function serviceObject(name: string, namespace: string): string {
  return `apiVersion: v1
kind: Service
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  selector:
    app.kubernetes.io/name: ${name}
  ports:
    - name: http
      port: 80
      targetPort: http
`;
}

function configMap(random: Prng, name: string, namespace: string): string {
  const lines = Array.from(
    { length: 5 + Math.floor(random.next() * 25) },
    (_, n) => `    ${name}.setting-${n} = ${hex(random, 20)}\n`,
  );
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: ${namespace}
data:
  LOG_LEVEL: info
  application.properties: |
    # made by hand
${lines.join('')}`;
}

function account(name: string, namespace: string): string {
  return `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
  namespace: ${namespace}
automountServiceAccountToken: false
`;
}

function cronJob(name: string, namespace: string): string {
  return `apiVersion: batch/v1
kind: CronJob
metadata:
  name: ${name}-nightly
  namespace: ${namespace}
spec:
  schedule: "7 3 * * *"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:
        metadata:
          labels: {app: ${name}-nightly}
        spec:
          restartPolicy: OnFailure
          containers:
            - name: app
              image: registry.example.test/shop/${name}:nightly
`;
}

function pick<T>(random: Prng, items: readonly [T, ...T[]]): T {
  return items[Math.floor(random.next() * items.length)] ?? items[0];
}

function hex(random: Prng, length: number): string {
  return Array.from({ length }, () => Math.floor(random.next() * 16).toString(16)).join('');
}
