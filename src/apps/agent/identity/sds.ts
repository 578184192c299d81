// The server of secrets that Envoy talks to. A stream stays open for as long as Envoy wants: what is not there yet is sent when it
// comes, what changes is sent when it changes. (Istio's agent ends the stream instead, and Envoy asks again.)
import {
  dueNames,
  type NamedSecret,
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
  const held: Held = { stream: newStream(form), sending: false };
  const pump = (): void => void sendDue(context, call, held);
  pumps.add(pump);
  try {
    for await (const bytes of call.messages(largestRequest)) {
      const request = readSecretRequest(form, bytes);
      if (request === undefined) return { code: 'INVALID_ARGUMENT', message: 'a message that cannot be read' };
      if (request.refusal !== undefined) context.log('warn', 'Envoy refuses a secret', { problem: request.refusal });
      const before = held.stream.names;
      held.stream = onRequest(held.stream, request);
      tellNames(
        context,
        [...held.stream.names].filter((name) => !before.has(name)),
      );
      pump();
    }
    return { code: 'OK', message: '' };
  } finally {
    pumps.delete(pump);
  }
}

/** One stream, changed by requests and by what is sent. */
interface Held {
  stream: SecretStream;
  sending: boolean;
}

/** One answer after the other, until nothing is due. */
async function sendDue(context: Context, call: GrpcServerCall, held: Held): Promise<void> {
  if (held.sending) return;
  held.sending = true;
  for (let goesOn = true; goesOn; ) {
    const due = dueSecrets(context, held.stream);
    if (due.length === 0) break;
    const nonce = context.nonce();
    const versions = new Map(due.map(({ name, version }) => [name, version]));
    held.stream = onSent(held.stream, { nonce, versions }); // before it is sent: a request that comes meanwhile may be about it
    const version = [...versions.values()].join('.');
    goesOn = await call.send(secretResponse(held.stream.form, { version, nonce, secrets: due }));
  }
  held.sending = false;
}

function dueSecrets({ secrets }: Context, stream: SecretStream): readonly NamedSecret[] {
  const found = new Map([...stream.names].map((name) => [name, secrets.get(name)]));
  return dueNames(stream, (name) => found.get(name)?.version).flatMap((name) => found.get(name) ?? []);
}

function tellNames({ log, secrets }: Context, names: readonly string[]): void {
  for (const name of names) {
    const resource = resourceOf(name);
    if (resource.kind === 'malformed') log('warn', 'a secret that cannot be', { name, problem: resource.problem });
    else log('debug', 'secret asked for', { name, there: secrets.get(name) !== undefined });
  }
}
