// The server of secrets that Envoy talks to. A stream stays open for as long as Envoy wants: what is not there yet is sent when it
// comes, what changes is sent when it changes. (Istio's agent ends the stream instead, and Envoy asks again.)
import {
  dueNames,
  newStream,
  onRequest,
  onSent,
  readSecretRequest,
  resourceOf,
  type SecretStream,
  type StreamForm,
  secretResponse,
  secretService,
} from '../../../core/identity/index.ts';
import type { GrpcServerCall, GrpcStatus } from '../../../ports/grpc.ts';
import type { Log } from '../log.ts';
import type { Secrets } from './secrets.ts';

export interface SdsServer {
  readonly answer: (call: GrpcServerCall) => Promise<GrpcStatus>;
  /** Sends what changed to whoever wants it. */
  readonly changed: () => void;
}

interface Context {
  readonly log: Log;
  readonly secrets: Secrets;
  readonly nonce: () => string;
}

const largestRequest = 2 ** 22;

export function sdsServer(context: Context): SdsServer {
  const pumps = new Set<() => void>();
  const forms: Readonly<Record<string, StreamForm>> = {
    [`/${secretService}/StreamSecrets`]: 'whole',
    [`/${secretService}/DeltaSecrets`]: 'delta',
  };
  return {
    answer: async (call) => {
      const form = forms[call.method];
      if (form === undefined) return { code: 'UNIMPLEMENTED', message: `no method ${call.method}` };
      return answerStream(context, { call, form, pumps });
    },
    changed: () => pumps.forEach((pump) => pump()),
  };
}

interface Opened {
  readonly call: GrpcServerCall;
  readonly form: StreamForm;
  readonly pumps: Set<() => void>;
}

async function answerStream(context: Context, { call, form, pumps }: Opened): Promise<GrpcStatus> {
  let stream = newStream(form);
  let sending = false;
  const pump = async (): Promise<void> => {
    if (sending) return;
    sending = true;
    for (let goesOn = true; goesOn; ) {
      const [next, message] = nextAnswer(context, stream);
      if (message === undefined) break;
      stream = next; // before it is sent: a request that comes meanwhile may be about it
      goesOn = await call.send(message);
    }
    sending = false;
  };
  const run = (): void => void pump();
  pumps.add(run);
  try {
    for await (const bytes of call.messages(largestRequest)) {
      const request = readSecretRequest(form, bytes);
      if (request === undefined) return { code: 'INVALID_ARGUMENT', message: 'a message that cannot be read' };
      if (request.refusal !== undefined) context.log('warn', 'Envoy refuses a secret', { problem: request.refusal });
      const before = stream.names;
      stream = onRequest(stream, request);
      tellNames(context, [...stream.names].filter((name) => !before.has(name)));
      run();
    }
    return { code: 'OK', message: '' };
  } finally {
    pumps.delete(run);
  }
}

function nextAnswer(
  { secrets, nonce: newNonce }: Context,
  stream: SecretStream,
): readonly [SecretStream, Uint8Array | undefined] {
  const found = new Map([...stream.names].flatMap((name) => {
    const secret = secrets.get(name);
    return secret === undefined ? [] : [[name, secret] as const];
  }));
  const names = dueNames(stream, (name) => found.get(name)?.version);
  if (names.length === 0) return [stream, undefined];
  const nonce = newNonce();
  const due = names.flatMap((name) => found.get(name) ?? []);
  const versions = new Map(due.map(({ name, version }) => [name, version]));
  const version = due.map((each) => each.version).join('.');
  return [onSent(stream, { nonce, versions }), secretResponse(stream.form, { version, nonce, secrets: due })];
}

function tellNames({ log, secrets }: Context, names: readonly string[]): void {
  for (const name of names) {
    const resource = resourceOf(name);
    if (resource.kind === 'malformed') log('warn', 'a secret that cannot be', { name, problem: resource.problem });
    else log('debug', 'secret asked for', { name, there: secrets.get(name) !== undefined });
  }
}
