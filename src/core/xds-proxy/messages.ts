// The few fields of xDS messages that a proxy between Envoy and the control plane looks at, and the small messages that it writes itself.
// Field numbers: envoy/service/discovery/v3/discovery.proto and google/rpc/status.proto. Refuses to look into a resource.
import { textOfUtf8 } from '../std/utf8.ts';
import { encode, readMessage, rewrite, scan } from '../wire/index.ts';

/** The protocol of a stream: state of the world, or differences. */
export type Variant = 'sotw' | 'delta';

const methods: Readonly<Record<string, Variant>> = {
  '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources': 'sotw',
  '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources': 'delta',
};

/** Undefined: no method of ADS. */
export function variantOf(method: string): Variant | undefined {
  return methods[method];
}

const type = 'type.googleapis.com/';
export const listenerType = `${type}envoy.config.listener.v3.Listener`;
export const extensionConfigType = `${type}envoy.config.core.v3.TypedExtensionConfig`;
export const nameTableType = `${type}istio.networking.nds.v1.NameTable`;
export const proxyConfigType = `${type}istio.mesh.v1alpha1.ProxyConfig`;
export const healthType = `${type}istio.v1.HealthInformation`;

const requestFields = {
  sotw: { version: 1, type: 4, nonce: 5, error: 6 },
  delta: { version: 0, type: 2, nonce: 6, error: 7 },
} as const;
/** Alike in both variants. */
const response = { version: 1, resources: 2, type: 4, nonce: 5 } as const;
const deltaResource = { version: 1, any: 2, name: 3 } as const;
const any = { type: 1, value: 2 } as const;

export interface RequestHead {
  /** Empty where it could not be seen. */
  readonly typeUrl: string;
  /** What Envoy holds; empty in delta. */
  readonly version: string;
}

/** Of a request, or of its first part: a request whose names take more than that has a type that nobody here waits for. */
export function readRequest(variant: Variant, bytes: Uint8Array): RequestHead {
  const at = requestFields[variant];
  const fields = scan(bytes);
  return { typeUrl: textIn(fields, at.type), version: textIn(fields, at.version) };
}

/**
 * The type of a response, or of its first part: told by the response, or by the first resource in it, since the response tells it
 * after all resources. Undefined: this part does not say.
 */
export function typeOfResponse(variant: Variant, bytes: Uint8Array): string | undefined {
  const fields = scan(bytes);
  const told = textIn(fields, response.type);
  if (told !== '') return told;
  const first = bytesIn(fields, response.resources);
  const resource = variant === 'sotw' || first === undefined ? first : bytesIn(scan(first), deltaResource.any);
  const ofResource = resource === undefined ? '' : textIn(scan(resource), any.type);
  return ofResource === '' ? undefined : ofResource;
}

type Scanned = ReturnType<typeof scan>;

/** The first field of that number, perhaps not all of it. */
function bytesIn({ fields }: Scanned, number: number): Uint8Array | undefined {
  const field = fields.find((each) => each.number === number && each.kind === 'bytes');
  return field?.kind === 'bytes' ? field.bytes : undefined;
}

/** Empty where it is not there, or not all of it. */
function textIn({ fields, end }: Scanned, number: number): string {
  const at = fields.findIndex((each) => each.number === number && each.kind === 'bytes');
  const field = fields[at];
  const isCut = end === 'cut' && at === fields.length - 1;
  return field?.kind === 'bytes' && !isCut ? textOfUtf8(field.bytes) : '';
}

export interface Response {
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  /** The resources, as Any. */
  readonly resources: readonly Uint8Array[];
}

/** A whole response; undefined where it is malformed. */
export function readResponse(variant: Variant, bytes: Uint8Array): Response | undefined {
  const message = readMessage(bytes);
  const resources = message
    ?.all(response.resources)
    .map((each) => (variant === 'sotw' ? each : readMessage(each)?.bytes(deltaResource.any)));
  if (message === undefined || resources === undefined) return undefined;
  return {
    typeUrl: message.text(response.type),
    version: message.text(response.version),
    nonce: message.text(response.nonce),
    resources: resources.filter((each) => each !== undefined),
  };
}

/** The response with other resources in the place of its own, as many as `readResponse` gave. */
export function withResources(variant: Variant, message: Uint8Array, resources: readonly Uint8Array[]): Uint8Array {
  const left = [...resources];
  const next = (before: Uint8Array): Uint8Array => left.shift() ?? before;
  const within = (each: Uint8Array): Uint8Array => rewrite(each, deltaResource.any, next) ?? each;
  return rewrite(message, response.resources, variant === 'sotw' ? next : within) ?? message;
}

/** The value of a resource, whose type its response tells. */
export function valueOf(resource: Uint8Array): Uint8Array {
  return readMessage(resource)?.bytes(any.value) ?? new Uint8Array(0);
}

export interface OwnRequest {
  readonly typeUrl: string;
  readonly version?: string;
  readonly nonce?: string;
  /** A refusal, or bad health. */
  readonly problem?: string | undefined;
}

/** google.rpc.Code INTERNAL, as Istio's agent sends. */
const internal = 13;

/** A request of the agent's own. The stream's first one tells the node, and that is Envoy's. */
export function writeRequest(variant: Variant, { typeUrl, version = '', nonce = '', problem }: OwnRequest): Uint8Array {
  const at = requestFields[variant];
  const error = problem === undefined ? undefined : encode([1, internal], [2, problem]);
  const ofVersion = variant === 'sotw' ? ([[at.version, version]] as const) : [];
  return encode(...ofVersion, [at.type, typeUrl], [at.nonce, nonce], [at.error, error]);
}

/** Roots of a mesh's ProxyConfig (istio/mesh/v1alpha1/proxy.proto), PEM, one after the other; undefined: it is malformed. */
export function anchorsIn(proxyConfig: Uint8Array): string | undefined {
  const roots = readMessage(proxyConfig)?.texts(34);
  return roots?.map((root) => (root.endsWith('\n') ? root : `${root}\n`)).join('');
}
