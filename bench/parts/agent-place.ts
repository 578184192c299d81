// Where agents are measured: a pod whose control plane nobody answers for. An agent must start without, ours and Istio's alike.

export const agentPlace = {
  env: { POD_NAME: 'pod', POD_NAMESPACE: 'shop', INSTANCE_IP: '127.0.0.1', XDS_ROOT_CA: 'SYSTEM' },
  config: { discoveryAddress: '127.0.0.1:15010' },
};
