// A node and its parameters for tests: everything at its default but what a test names.
import { effectiveProxyConfig } from '../proxy/index.ts';
import { type NodeReading, type NodeSources, nodeOf, noPlatform } from './node.ts';
import { type BootstrapSources, bootstrapParameters, type ParametersReading } from './parameters.ts';

export interface Sample {
  readonly proxyConfig?: string;
  readonly node?: Partial<NodeSources>;
  readonly sources?: Partial<BootstrapSources>;
}

export function sampleNode({ proxyConfig, node }: Sample = {}): NodeReading {
  return nodeOf({
    identity: { type: 'sidecar', podName: 'a', podNamespace: 'shop', domain: '', addresses: ['10.0.0.7'] },
    env: { POD_NAME: 'a', POD_NAMESPACE: 'shop' },
    config: effectiveProxyConfig({ environmentYaml: proxyConfig }).config,
    labels: undefined,
    annotations: undefined,
    platform: noPlatform,
    ports: { status: 15_021, prometheus: 15_090, secureMetrics: 0, secureMergedMetrics: 0 },
    exitOnZero: false,
    metadataDiscovery: undefined,
    skipDeprecatedLogs: true,
    socketFile: 'socket',
    outlierLogPath: '',
    credentialSocket: false,
    servesFilesOnly: false,
    ...node,
  });
}

export function sampleParameters(sample: Sample = {}): ParametersReading {
  return bootstrapParameters({
    node: sampleNode(sample).node,
    config: effectiveProxyConfig({ environmentYaml: sample.proxyConfig }).config,
    type: 'sidecar',
    addresses: sample.node?.identity?.addresses ?? ['10.0.0.7'],
    dualStack: false,
    logAsJson: false,
    deltaXds: true,
    compliancePolicy: '',
    stripFragment: true,
    hostIp: '',
    exitOnZero: 'off',
    statusProxyProtocol: false,
    filesSocket: undefined,
    ...sample.sources,
  });
}
