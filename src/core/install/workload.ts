// The server itself: Deployment, Service, disruption budget and the ConfigMap with rollouts.yml and its neighbours.
import { appName, configName, type InstallOptions, type KubeObject, ownLabels } from './options.ts';

const tlsFolder = '/etc/fairway-tls';
const ports = { webhook: 8443, metrics: 9090 } as const;
const selector = { 'app.kubernetes.io/name': appName };

export function serverObjects(options: InstallOptions): readonly KubeObject[] {
  const called = options.mode === 'webhook' ? [service(options)] : [];
  return [configMap(options), ...called, disruptionBudget(options), deployment(options)];
}

function configMap({ namespace, files }: InstallOptions): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: configName, namespace, labels: ownLabels },
    data: files,
  };
}

function service({ namespace }: InstallOptions): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: appName, namespace, labels: ownLabels },
    spec: { selector, ports: [{ name: 'https-webhook', port: 443, targetPort: 'webhook', protocol: 'TCP' }] },
  };
}

function disruptionBudget({ namespace }: InstallOptions): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: appName, namespace, labels: ownLabels },
    spec: { maxUnavailable: 1, selector: { matchLabels: selector }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  };
}

function deployment(options: InstallOptions): KubeObject {
  const { namespace, replicas } = options;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: appName, namespace, labels: ownLabels },
    spec: {
      replicas,
      selector: { matchLabels: selector },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: { ...ownLabels, 'sidecar.istio.io/inject': 'false' } },
        spec: podSpec(options),
      },
    },
  };
}

function podSpec(options: InstallOptions): KubeObject {
  const { tlsSecret } = options;
  const tls = tlsSecret === undefined ? [] : [{ name: 'tls', secret: { secretName: tlsSecret } }];
  return {
    serviceAccountName: appName,
    // The webhook's endpoint must be gone from every API server before the port closes.
    terminationGracePeriodSeconds: 30,
    securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: selector },
    })),
    containers: [container(options)],
    ...(tls.length === 0 ? {} : { volumes: tls }),
  };
}

/** Within the memory limit below, room for the owners of 400,000 pods; a young generation that keeps to a few megabytes. */
export const memoryOptions = '--max-old-space-size=512 --max-semi-space-size=8';

function container(options: InstallOptions): KubeObject {
  const tls = options.tlsSecret === undefined ? [] : [{ name: 'tls', mountPath: tlsFolder, readOnly: true }];
  return {
    name: 'admission',
    image: options.image,
    args: serverArguments(options),
    env: [{ name: 'NODE_OPTIONS', value: memoryOptions }],
    ports: [
      ...(options.mode === 'webhook' ? [{ name: 'webhook', containerPort: ports.webhook }] : []),
      { name: 'metrics', containerPort: ports.metrics },
    ],
    livenessProbe: { httpGet: { path: '/healthz', port: 'metrics' }, periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' }, periodSeconds: 2, failureThreshold: 1 },
    // Caches fill before the first probe counts: a minute for the largest clusters.
    startupProbe: { httpGet: { path: '/readyz', port: 'metrics' }, periodSeconds: 1, failureThreshold: 120 },
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    ...(tls.length === 0 ? {} : { volumeMounts: tls }),
  };
}

function serverArguments({ mode, namespace, tlsSecret, inject, cluster }: InstallOptions): readonly string[] {
  return [
    'admission',
    'serve',
    // Not mounted: kubelets take a minute or more to show an edit.
    `--config-map=${configName}`,
    ...(mode === 'policy' ? ['--mode=policy'] : [`--listen=:${ports.webhook}`]),
    `--metrics=:${ports.metrics}`,
    `--namespace=${namespace}`,
    ...(cluster === undefined ? [] : [`--cluster=${cluster}`]),
    ...(tlsSecret === undefined ? [] : [`--tls-cert=${tlsFolder}/tls.crt`, `--tls-key=${tlsFolder}/tls.key`]),
    ...inject.map(({ name }) => `--inject=${name}`),
  ];
}
