// What can be chosen when the admission server is installed, and the names that follow from nothing.

/** The API's own types are wide; what is generated here is narrow and only ever printed or sent. */
export type KubeObject = { readonly [key: string]: unknown };

export interface InstallOptions {
  /** `policy`: the API server itself sets the label, by tables that the server keeps; no injector of Fairway then. */
  readonly mode: 'webhook' | 'policy';
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** Base64 of PEM roots; "" leaves it to the server, which keeps the configurations right. */
  readonly caBundle: string;
  /** Name of a Secret of type kubernetes.io/tls that somebody else renews; undefined: the server is its own authority. */
  readonly tlsSecret: string | undefined;
  /** Revisions whose pods Fairway injects; none: Krispr alone, beside istiod's own injectors. */
  readonly inject: readonly InjectedRevision[];
  /** The cluster's name in fairway.yml; undefined: as the fleet. */
  readonly cluster: string | undefined;
  /** Contents of rollouts.yml, fairway.yml and rollouts.lock, or of the cluster's own, by file name. */
  readonly files: Readonly<Record<string, string>>;
  /** API groups and plural resources of the kinds that fairway.yml adds. */
  readonly kinds: readonly { readonly group: string; readonly resource: string }[];
}

export interface InjectedRevision {
  readonly name: string;
  /** Whether pods that only their namespace's `istio-injection=enabled` or their own label asks for get this revision. */
  readonly isDefault: boolean;
  /** With isDefault: also pods that nothing asks for (Istio's enableNamespacesByDefault). */
  readonly everyNamespace: boolean;
}

export const appName = 'fairway-admission';
export const caSecretName = 'fairway-admission-ca';
export const leaseName = 'fairway-admission';
export const configName = 'fairway-config';
export const sightsName = 'fairway-first-sights';

/** Labels of every object that is installed. */
export const ownLabels: Readonly<Record<string, string>> = {
  'app.kubernetes.io/name': appName,
  'app.kubernetes.io/part-of': 'fairway',
};
