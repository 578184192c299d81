// The settings of Wasm modules: rows of the table of `proxy`. Names and defaults are Istio's (pilot-agent/options, pilot/pkg/features).
import { anyNumber, count, duration, text, truth } from '../kinds.ts';

export const wasmRows = {
  wasmConversion: truth('true', {
    env: 'ISTIO_AGENT_ENABLE_WASM_REMOTE_LOAD_CONVERSION',
    doc: 'remote Wasm modules are fetched by the agent and given to Envoy as files',
  }),
  wasmFolder: text('/var/lib/istio/data', {
    env: 'FAIRWAY_WASM_FOLDER',
    doc: 'where modules are kept; the image and the VM package make the default',
  }),
  wasmInsecureRegistries: text('', {
    env: 'WASM_INSECURE_REGISTRIES',
    doc: 'hosts, separated by commas, whose certificates are not verified; `*`: all',
  }),
  wasmExpiryMs: duration('24h', {
    env: 'WASM_MODULE_EXPIRY',
    doc: 'a module that nobody asked for so long is removed',
  }),
  wasmPurgeMs: duration('1h', { env: 'WASM_PURGE_INTERVAL', doc: 'how often modules are looked through' }),
  wasmRequestTimeoutMs: duration('15s', { env: 'WASM_HTTP_REQUEST_TIMEOUT', doc: 'of one request for a module' }),
  wasmAttempts: count('5', { env: 'WASM_HTTP_REQUEST_MAX_RETRIES', doc: 'how often a module is asked for' }, anyNumber),
  wasmMaxBytes: count(
    '268435456',
    { env: 'ISTIO_WASM_MAX_BINARY_SIZE_BYTES', doc: 'the largest module, in bytes' },
    anyNumber,
  ),
};
