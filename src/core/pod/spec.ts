// The part of core/v1 Pod that a kubelet's lifecycle decisions read, in the API's own names and shapes. What a runtime alone
// needs (env, volumes, security) passes through untyped: the engine never looks at it. No defaults and no validation here.

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly generation?: number | undefined;
  /** Milliseconds since the epoch, like every time of the engine; `toApi` writes RFC 3339. */
  readonly creationTimestamp?: number | undefined;
  readonly deletionTimestamp?: number | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
}

export interface PodSpec {
  readonly nodeName?: string | undefined;
  readonly restartPolicy?: RestartPolicy | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
  readonly activeDeadlineSeconds?: number | undefined;
  readonly hostNetwork?: boolean | undefined;
  readonly os?: { readonly name: 'linux' | 'windows' } | undefined;
  readonly priority?: number | undefined;
  readonly schedulingGates?: readonly { readonly name: string }[] | undefined;
  readonly readinessGates?: readonly { readonly conditionType: string }[] | undefined;
  readonly resources?: ResourceRequirements | undefined;
  readonly initContainers?: readonly Container[] | undefined;
  readonly containers: readonly Container[];
  readonly ephemeralContainers?: readonly Container[] | undefined;
  /** volumes, securityContext, tolerations, … */
  readonly [other: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly image?: string | undefined;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  readonly command?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly restartPolicy?: RestartPolicy | undefined;
  readonly restartPolicyRules?: readonly RestartRule[] | undefined;
  readonly lifecycle?: Lifecycle | undefined;
  readonly startupProbe?: Probe | undefined;
  readonly livenessProbe?: Probe | undefined;
  readonly readinessProbe?: Probe | undefined;
  readonly resources?: ResourceRequirements | undefined;
  readonly resizePolicy?: readonly ResizePolicy[] | undefined;
  readonly terminationMessagePath?: string | undefined;
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError' | undefined;
  /** env, ports, volumeMounts, workingDir, … */
  readonly [other: string]: unknown;
}

export interface RestartRule {
  readonly action: 'Restart' | 'RestartAllContainers';
  readonly exitCodes?:
    | { readonly operator: 'In' | 'NotIn'; readonly values?: readonly number[] | undefined }
    | undefined;
}

export interface ResourceRequirements {
  readonly requests?: ResourceList | undefined;
  readonly limits?: ResourceList | undefined;
}

/** Quantities as written: `500m`, `1Gi`, 2. */
export type ResourceList = Readonly<Record<string, string | number>>;

export interface ResizePolicy {
  readonly resourceName: string;
  readonly restartPolicy: 'NotRequired' | 'RestartContainer';
}

export interface Lifecycle {
  readonly postStart?: HookHandler | undefined;
  readonly preStop?: HookHandler | undefined;
  readonly stopSignal?: string | undefined;
}

/** Exactly one of the fields is set (validation). */
export interface HookHandler {
  readonly exec?: ExecAction | undefined;
  readonly httpGet?: HttpGetAction | undefined;
  readonly sleep?: { readonly seconds: number } | undefined;
  readonly tcpSocket?: TcpSocketAction | undefined;
}

export interface Probe {
  readonly exec?: ExecAction | undefined;
  readonly httpGet?: HttpGetAction | undefined;
  readonly tcpSocket?: TcpSocketAction | undefined;
  readonly grpc?: GrpcAction | undefined;
  readonly initialDelaySeconds?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly periodSeconds?: number | undefined;
  readonly successThreshold?: number | undefined;
  readonly failureThreshold?: number | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
}

export interface ExecAction {
  readonly command?: readonly string[] | undefined;
}

export interface HttpGetAction {
  readonly path?: string | undefined;
  readonly port: number | string;
  readonly host?: string | undefined;
  readonly scheme?: 'HTTP' | 'HTTPS' | undefined;
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

export interface TcpSocketAction {
  readonly port: number | string;
  readonly host?: string | undefined;
}

export interface GrpcAction {
  readonly port: number;
  readonly service?: string | undefined;
}
