// Reviews as an API server sends them for the pods of Deployments: envelope, user, managed fields, and a pod of about the wanted size.
import { uidOf } from './fake-api.ts';

export interface PodReview {
  readonly kilobytes: number;
  /** Which workload's pod. */
  readonly workload: number;
  readonly revision: string;
  /** Which review of it. */
  readonly uid: number;
}

export function reviewOf({ kilobytes, workload, revision, uid }: PodReview): Buffer {
  const review = {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: `705ab4f5-6393-11e8-b7cc-${String(uid).padStart(12, '0')}`,
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      requestKind: { group: '', version: 'v1', kind: 'Pod' },
      requestResource: { group: '', version: 'v1', resource: 'pods' },
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: {
        username: 'system:serviceaccount:kube-system:replicaset-controller',
        uid: '93bb03a7-0b4b-4d0c-8ac3-d7e1a6b8d5c1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
      },
      object: { kind: 'Pod', apiVersion: 'v1', metadata: metadataOf(workload, revision), spec: specOf(workload) },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    },
  };
  const missing = kilobytes * 1000 - JSON.stringify(review).length;
  // What fills a pod beyond its own fields: texts, such as a configuration in an annotation.
  review.request.object.metadata.annotations['team.test/notes'] = 'words '.repeat(Math.max(0, missing) / 6);
  return Buffer.from(JSON.stringify(review));
}

function metadataOf(workload: number, revision: string) {
  const fields = ['app', 'pod-template-hash', 'istio.io/rev', 'team'];
  const labels = { '.': {}, ...Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) };
  const managed = { 'f:metadata': { 'f:generateName': {}, 'f:labels': labels }, 'f:spec': labels };
  const entry = { apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: managed, operation: 'Update' };
  const name = `web-${workload}-7d9c5b`;
  const uid = uidOf('replicaSet', workload);
  return {
    generateName: `${name}-`,
    creationTimestamp: null,
    labels: { app: `web-${workload}`, 'pod-template-hash': '7d9c5b', 'istio.io/rev': revision, team: 'shop' },
    annotations: { 'prometheus.io/port': '9100', 'prometheus.io/scrape': 'true' } as Record<string, string>,
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true, blockOwnerDeletion: true },
    ],
    managedFields: [{ ...entry, manager: 'kube-controller-manager', time: '2026-11-30T10:00:00Z' }],
  };
}

function specOf(workload: number): object {
  const env = Array.from({ length: 40 }, (_, k) => ({ name: `SETTING_${k}`, value: `value ${k} of ${workload}` }));
  const account = '/var/run/secrets/kubernetes.io/serviceaccount';
  const token = { name: 'kube-api-access-x', readOnly: true, mountPath: account };
  const container = {
    name: 'app',
    image: `registry.test/web:${workload}`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env,
    resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } },
    volumeMounts: [{ name: 'data', mountPath: '/data' }, token],
    readinessProbe: { httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' }, periodSeconds: 5 },
    livenessProbe: { httpGet: { path: '/live', port: 8080, scheme: 'HTTP' } },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  ];
  return {
    volumes: [
      { name: 'data', emptyDir: {} },
      { name: 'kube-api-access-x', projected: { sources, defaultMode: 420 } },
    ],
    containers: [container],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 45,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'web',
    serviceAccount: 'web',
    securityContext: {},
    schedulerName: 'default-scheduler',
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  };
}
