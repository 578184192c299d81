// One stream of Envoy's, passed on to the control plane and back, piece by piece: no message is held that is not the agent's own. When
// either end is over, so is the other: Envoy then begins anew, with all that it asks for.
import {
  type Health,
  openingStream,
  type Response,
  readRequest,
  readResponse,
  routeOf,
  type StreamInput,
  type StreamPolicy,
  transition,
  typeOfResponse,
  type Variant,
  valueOf,
  writeRequest,
} from '../../../core/xds-proxy/index.ts';
import type { GrpcClientCall, GrpcPiece, GrpcServerCall, GrpcStatus } from '../../../ports/grpc.ts';
import { type Lane, lane } from './lane.ts';

export interface RelayOptions {
  readonly variant: Variant;
  readonly policy: StreamPolicy;
  readonly envoy: GrpcServerCall;
  readonly upstream: GrpcClientCall;
  /** Takes a resource of the agent's own; gives back why not. */
  readonly take: (typeUrl: string, value: Uint8Array) => string | undefined;
  /** Makes the extensions of a response local. */
  readonly convert: Convert;
  readonly health: () => Health | undefined;
}

export type Convert = (variant: Variant, message: Uint8Array) => Promise<Converted>;

export type Converted =
  | { readonly kind: 'converted'; readonly message: Uint8Array }
  | { readonly kind: 'problem'; readonly problem: string };

export interface Relay {
  readonly feed: (input: StreamInput) => void;
  /** How the stream ended upstream, or that Envoy went away. */
  readonly ended: Promise<GrpcStatus>;
}

interface Ways {
  readonly up: Lane;
  readonly down: Lane;
  /** Extensions that are being made local. */
  readonly conversion: Lane;
  readonly feed: Relay['feed'];
}

export function relay(options: RelayOptions): Relay {
  const { envoy, upstream, policy, variant } = options;
  const up = lane();
  let state = openingStream;
  const feed = (input: StreamInput): void => {
    const [next, requests] = transition(policy, state, input);
    state = next;
    for (const request of requests) void sendWhole(up, upstream, writeRequest(variant, request));
  };
  const run = async (): Promise<GrpcStatus> => {
    const ways: Ways = { up, down: lane(), conversion: lane(), feed };
    void passRequests(options, ways);
    await Promise.race([passResponses(options, ways), envoy.ended]);
    upstream.cancel(); // no effect where it has ended
    return upstream.ended;
  };
  return { feed, ended: run() };
}

async function passRequests({ envoy, upstream, variant, health }: RelayOptions, { up, feed }: Ways): Promise<void> {
  let leave = (): void => undefined;
  for await (const piece of envoy.pieces()) {
    if (piece.offset === 0) leave = await up.enter();
    const more = await upstream.sendPiece(piece);
    if (isLast(piece)) leave();
    if (piece.offset === 0) feed({ kind: 'requested', request: readRequest(variant, piece.bytes), health: health() });
    if (!more) return;
  }
  upstream.closeSend();
}

async function passResponses(options: RelayOptions, ways: Ways): Promise<void> {
  const { envoy, upstream } = options;
  let leave = (): void => undefined;
  let kept: GrpcPiece[] | undefined;
  for await (const piece of upstream.pieces()) {
    if (piece.offset === 0) kept = isPassedOn(options, piece) ? undefined : [];
    if (kept !== undefined) {
      kept.push(piece);
      if (isLast(piece)) takeWhole(options, joined(kept), ways);
      continue;
    }
    if (piece.offset === 0) leave = await ways.down.enter();
    const more = await envoy.sendPiece(piece);
    if (isLast(piece)) leave();
    if (!more) return;
  }
}

/** Control planes write the type, or a resource with it, long before this. */
const heldUnknownAtMost = 2 ** 22;

/** A large message whose beginning does not tell its type is held as a whole: it may be the agent's own. One without bounds is Envoy's to judge. */
function isPassedOn({ variant, policy }: RelayOptions, first: GrpcPiece): boolean {
  const typeUrl = typeOfResponse(variant, first.bytes);
  if (typeUrl === undefined) return isLast(first) || first.size > heldUnknownAtMost;
  return routeOf(policy, typeUrl) === 'pass';
}

function takeWhole(options: RelayOptions, message: Uint8Array, ways: Ways): void {
  const { variant, policy, take, envoy } = options;
  const response = readResponse(variant, message);
  const route = response === undefined ? 'pass' : routeOf(policy, response.typeUrl);
  if (response === undefined || route === 'pass') return void sendWhole(ways.down, envoy, message);
  if (route === 'convert') return void convertWhole(options, { response, message }, ways);
  const [resource] = response.resources;
  // As Istio's agent: these types have one resource, and a response without it is not answered.
  if (resource === undefined) return;
  ways.feed({ kind: 'taken', response, problem: take(response.typeUrl, valueOf(resource)) });
}

/** Other types pass meanwhile: a download may take long. Later extensions wait, so that the last one is the one that stays. */
async function convertWhole(
  { variant, convert, envoy }: RelayOptions,
  { response, message }: { readonly response: Response; readonly message: Uint8Array },
  { down, conversion, feed }: Ways,
): Promise<void> {
  const leave = await conversion.enter();
  const converted = await convert(variant, message).catch(broken);
  if (converted.kind === 'problem') feed({ kind: 'not-converted', response, problem: converted.problem });
  else await sendWhole(down, envoy, converted.message);
  leave();
}

/** A module's address or a secret may be such that no request can be made of it. */
function broken(error: unknown): Converted {
  return { kind: 'problem', problem: String(error) };
}

async function sendWhole(way: Lane, to: Pick<GrpcServerCall, 'send'>, message: Uint8Array): Promise<void> {
  const leave = await way.enter();
  await to.send(message);
  leave();
}

function isLast({ bytes, offset, size }: GrpcPiece): boolean {
  return offset + bytes.length === size;
}

function joined(pieces: readonly GrpcPiece[]): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && isLast(first)) return first.bytes;
  const whole = new Uint8Array(first?.size ?? 0);
  for (const { bytes, offset } of pieces) whole.set(bytes, offset);
  return whole;
}
