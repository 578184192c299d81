// The door: Istio's mesh configuration as JSON, and ProxyConfig's layers.
export { applyMessage, type Refuse } from './form.ts';
export { meshType } from './messages.ts';
export { mergeProxyConfig, proxyDefaults, trimmedProxyConfig } from './proxy-config.ts';
