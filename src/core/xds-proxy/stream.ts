// One stream between Envoy and the control plane, as the proxy between sees it: which requests the agent adds and when, which responses are
// its own, how it answers them. A machine; the bytes that pass are the shell's. After Istio's pkg/istio-agent/xds_proxy.go.
//
//   opening ──first request for listeners──▶ open ──(the stream ends: a new one begins at opening)
//
// Before Envoy has asked for listeners nothing is added: the first request must tell the node, and only Envoy knows it.
import {
  extensionConfigType,
  healthType,
  listenerType,
  type OwnRequest,
  type RequestHead,
  type Response,
} from './messages.ts';

export interface StreamPolicy {
  /** Types that the agent asks for itself, in this order; Envoy never sees them. */
  readonly own: readonly string[];
  /** Extensions with remote Wasm are rewritten to local files. */
  readonly convertsExtensions: boolean;
}

export interface StreamState {
  readonly at: 'opening' | 'open';
  /** The last version of extensions that Envoy took. */
  readonly extensionsVersion: string;
}

export type Health = { readonly kind: 'healthy' } | { readonly kind: 'unhealthy'; readonly message: string };

export type StreamInput =
  /** Envoy's request has been passed on. */
  | { readonly kind: 'requested'; readonly request: RequestHead; readonly health: Health | undefined }
  /** The agent has taken a response of its own, or refuses it. */
  | { readonly kind: 'taken'; readonly response: Response; readonly problem: string | undefined }
  /** An extension could not be made local. */
  | { readonly kind: 'not-converted'; readonly response: Response; readonly problem: string }
  | { readonly kind: 'health'; readonly health: Health };

export const openingStream: StreamState = { at: 'opening', extensionsVersion: '' };

/** The next state, and the requests to send upstream. */
export function transition(
  policy: StreamPolicy,
  state: StreamState,
  input: StreamInput,
): readonly [StreamState, readonly OwnRequest[]] {
  switch (input.kind) {
    case 'requested':
      return requested(policy, state, input);
    case 'taken':
      return [state, [answerTo(input.response, input.response.version, input.problem)]];
    case 'not-converted':
      return [state, [answerTo(input.response, state.extensionsVersion, input.problem)]];
    case 'health':
      return [state, state.at === 'open' ? [healthRequest(input.health)] : []];
  }
}

function requested(
  { own }: StreamPolicy,
  state: StreamState,
  { request, health }: Extract<StreamInput, { readonly kind: 'requested' }>,
): readonly [StreamState, readonly OwnRequest[]] {
  const { typeUrl, version } = request;
  if (typeUrl === extensionConfigType && version !== '') return [{ ...state, extensionsVersion: version }, []];
  if (state.at === 'open' || typeUrl !== listenerType) return [state, []];
  const first = own.map((each) => ({ typeUrl: each }));
  return [{ ...state, at: 'open' }, health === undefined ? first : [...first, healthRequest(health)]];
}

function answerTo({ typeUrl, nonce }: Response, version: string, problem: string | undefined): OwnRequest {
  return { typeUrl, nonce, version, problem };
}

/** Never answered (istio/istio#29741): each change is told, and the last one again on each new stream. */
function healthRequest(health: Health): OwnRequest {
  return { typeUrl: healthType, problem: health.kind === 'unhealthy' ? health.message : undefined };
}

/** What becomes of a response: Envoy's as it is, the agent's, or Envoy's after its extensions were made local. */
export function routeOf({ own, convertsExtensions }: StreamPolicy, typeUrl: string): 'pass' | 'own' | 'convert' {
  if (own.includes(typeUrl)) return 'own';
  return convertsExtensions && typeUrl === extensionConfigType ? 'convert' : 'pass';
}
