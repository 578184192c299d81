// One question on the agent's SDS socket, as Envoy asks it.
import assert from 'node:assert/strict';
import { nodeGrpc } from '../../src/adapters/node/grpc/index.ts';
import { secretService } from '../../src/core/identity/index.ts';
import { encode, type Message, readMessage } from '../../src/core/wire/index.ts';

const secretType = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret';

/** The first answer of a new stream; throws where the stream ends without one. */
export async function firstSecret(path: string, name: string): Promise<Message> {
  const channel = nodeGrpc.connect({ at: { kind: 'unix', path }, tls: undefined, connectTimeoutMs: 1000 });
  try {
    const call = channel.open(`/${secretService}/StreamSecrets`, { timeoutMs: 15_000 });
    await call.send(
      encode([2, encode([1, 'sidecar~127.0.0.1~cart.shop~shop.svc.cluster.local'])], [3, name], [4, secretType]),
    );
    for await (const bytes of call.messages(2 ** 24)) return readMessage(bytes) ?? assert.fail();
    throw new Error((await call.ended).message);
  } finally {
    channel.close();
  }
}
