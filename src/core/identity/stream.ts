// One stream of secrets as its server sees it: which names the other end wants and which versions it was sent. Owns the protocol's two
// forms, state of the world and delta (Envoy's api-docs/xds_protocol); refuses to hold secrets or a connection.
//
// What is due is what is wanted, is there, and was not sent in this version. So a request, a secret that comes late and a rotation are
// one question, `dueNames`, and nothing is sent twice.

export type StreamForm = 'whole' | 'delta';

export interface SecretStream {
  readonly form: StreamForm;
  readonly names: ReadonlySet<string>;
  /** Versions that the other end has, by name. */
  readonly has: ReadonlyMap<string, string>;
  /** Of the last answer; empty before the first. */
  readonly nonce: string;
}

/** What both forms of a request say. */
export interface SecretRequest {
  readonly nonce: string;
  /** `whole`: all names that are wanted from now on. `delta`: those to add. */
  readonly names: readonly string[];
  /** `delta` only. */
  readonly dropped: readonly string[];
  /** `delta` only, in a stream's first request: versions that the other end has from another stream. */
  readonly known: ReadonlyMap<string, string>;
  /** Why the last answer was not taken; undefined: it was, or there was none. */
  readonly refusal: string | undefined;
}

export function newStream(form: StreamForm): SecretStream {
  return { form, names: new Set(), has: new Map(), nonce: '' };
}

/** The stream after a request. A refused answer is not repeated: it would be refused again; the next version is sent as usual. */
export function onRequest(stream: SecretStream, request: SecretRequest): SecretStream {
  return stream.form === 'delta' ? onDelta(stream, request) : onWhole(stream, request);
}

/**
 * A request about an answer that was followed by another is stale: it would take back names that a newer one added. A request without
 * nonce begins anew and is answered in full; a nonce before the first answer is another server's.
 */
function onWhole(stream: SecretStream, { nonce, names }: SecretRequest): SecretStream {
  if (nonce !== '' && stream.nonce !== '' && nonce !== stream.nonce) return stream;
  const has = nonce === '' ? new Map<string, string>() : only(stream.has, (name) => names.includes(name));
  return { ...stream, names: new Set(names), has };
}

/** Names that are asked for again are sent again: the other end may have forgotten them. */
function onDelta(stream: SecretStream, { names, dropped, known }: SecretRequest): SecretStream {
  const kept = new Set([...stream.names, ...names]);
  for (const name of dropped) kept.delete(name);
  const has = new Map(only(stream.has, (name) => kept.has(name) && !names.includes(name)));
  for (const [name, version] of known) if (kept.has(name)) has.set(name, version);
  return { ...stream, names: kept, has };
}

/** What is to be sent now; `versionOf` is undefined for a secret that is not there yet. */
export function dueNames(
  { names, has }: SecretStream,
  versionOf: (name: string) => string | undefined,
): readonly string[] {
  return [...names].filter((name) => {
    const version = versionOf(name);
    return version !== undefined && version !== has.get(name);
  });
}

/** After an answer was sent. */
export function onSent(
  stream: SecretStream,
  { nonce, versions }: { readonly nonce: string; readonly versions: ReadonlyMap<string, string> },
): SecretStream {
  return { ...stream, nonce, has: new Map([...stream.has, ...versions]) };
}

function only(map: ReadonlyMap<string, string>, keep: (name: string) => boolean): ReadonlyMap<string, string> {
  return new Map([...map].filter(([name]) => keep(name)));
}
