// The control plane: etcd, API server, controllers, scheduler. Needs no root. Everybody is the administrator here, by one
// random token; the API server signs its own certificate, which clients are told to trust.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layout, network } from './layout.ts';
import { succeeds } from './shell.ts';
import { start, waitFor } from './supervise.ts';

export interface ControlPlane {
  /** The address that the API server listens on: loopback, or the bridge's when pods shall reach it. */
  readonly host: string;
  /** As the components take them: `A=true,B=false`. */
  readonly featureGates: string;
}

/** Starts the control plane and waits until pods can be created. */
export async function startControlPlane(plane: ControlPlane): Promise<void> {
  mkdirSync(join(layout.run, 'pki'), { recursive: true });
  writeSecrets();
  const etcd = `http://127.0.0.1:${network.etcdPort}`;
  const peers = `http://127.0.0.1:${network.etcdPort + 1}`;
  start('etcd', [
    'etcd',
    '--data-dir',
    join(layout.run, 'etcd'),
    '--listen-client-urls',
    etcd,
    '--advertise-client-urls',
    etcd,
    '--listen-peer-urls',
    peers,
    '--initial-advertise-peer-urls',
    peers,
    '--initial-cluster',
    `default=${peers}`,
    '--unsafe-no-fsync',
  ]);
  start('apiserver', ['kube-apiserver', ...apiServerFlags(plane, etcd)]);
  await waitFor('apiserver', () => existsSync(pki('apiserver.crt')));
  writeKubeconfig(plane.host);
  await waitFor('apiserver', () => succeeds('kubectl', ['--kubeconfig', layout.kubeconfig, 'get', '--raw', '/readyz']));
  const client = [
    '--kubeconfig',
    layout.kubeconfig,
    '--leader-elect=false',
    // Nobody asks them anything, and a second rig would want the port.
    '--secure-port',
    '0',
    ...gates(plane),
  ];
  start('controller-manager', [
    'kube-controller-manager',
    ...client,
    '--use-service-account-credentials=false',
    '--service-account-private-key-file',
    pki('accounts.key'),
    '--root-ca-file',
    pki('apiserver.crt'),
  ]);
  start('scheduler', ['kube-scheduler', ...client]);
  await waitFor('controller-manager', () =>
    succeeds('kubectl', ['--kubeconfig', layout.kubeconfig, '-n', 'default', 'get', 'serviceaccount', 'default']),
  );
}

export function gates(plane: ControlPlane): readonly string[] {
  return plane.featureGates === '' ? [] : ['--feature-gates', plane.featureGates];
}

function apiServerFlags(plane: ControlPlane, etcd: string): readonly string[] {
  const onBridge = plane.host === network.host;
  return [
    ['--etcd-servers', etcd],
    ['--bind-address', plane.host, '--secure-port', String(network.apiPort), '--cert-dir', join(layout.run, 'pki')],
    ['--advertise-address', plane.host, ...(onBridge ? [] : ['--endpoint-reconciler-type', 'none'])],
    ['--token-auth-file', pki('tokens.csv'), '--authorization-mode', 'RBAC'],
    ['--service-account-issuer', 'https://kubernetes.default.svc'],
    ['--service-account-key-file', pki('accounts.pub'), '--service-account-signing-key-file', pki('accounts.key')],
    ['--service-cluster-ip-range', network.services, '--allow-privileged'],
    ['--kubelet-preferred-address-types', 'InternalIP'],
    // Webhooks given by Service are called at its endpoints, so that a program of this machine can stand behind one.
    ['--enable-aggregator-routing'],
    gates(plane),
  ].flat();
}

function writeSecrets(): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const secret = { mode: 0o600 };
  writeFileSync(pki('accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), secret);
  writeFileSync(pki('accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(pki('token'), randomBytes(24).toString('hex'), secret);
  writeFileSync(pki('tokens.csv'), `${readFileSync(pki('token'), 'utf8')},admin,admin,"system:masters"\n`, secret);
}

function writeKubeconfig(host: string): void {
  const named = (kind: string, value: object) => [{ name: 'rig', [kind]: value }];
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: named('cluster', {
      server: `https://${host}:${network.apiPort}`,
      'certificate-authority-data': readFileSync(pki('apiserver.crt')).toString('base64'),
    }),
    users: named('user', { token: readFileSync(pki('token'), 'utf8') }),
    contexts: named('context', { cluster: 'rig', user: 'rig' }),
    'current-context': 'rig',
  };
  writeFileSync(layout.kubeconfig, JSON.stringify(config, undefined, 1), { mode: 0o600 });
}

function pki(name: string): string {
  return join(layout.run, 'pki', name);
}
