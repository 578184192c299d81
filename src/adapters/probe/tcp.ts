// The tcpSocket probe: a connection that opens is a success, and is closed at once.
import { connect } from 'node:net';
import { dialError } from './dial.ts';
import type { Address, Verdict } from './verdict.ts';

export function connectTcp(address: Address, timeoutMs: number): Promise<Verdict> {
  const { promise, resolve } = Promise.withResolvers<Verdict>();
  const socket = connect({ ...address, timeout: timeoutMs });
  const end = (verdict: Verdict) => {
    socket.destroy();
    resolve(verdict);
  };
  socket.once('connect', () => end({ result: 'success', message: '' }));
  socket.once('timeout', () =>
    end({ result: 'failure', message: `dial tcp ${address.host}:${address.port}: i/o timeout` }),
  );
  socket.once('error', (error) => end({ result: 'failure', message: dialError(address, error) }));
  return promise;
}
