// Runs inside of a namespace: `listen ADDRESS PORT NAME` answers each connection with its name and the client's address;
// `connect ADDRESS PORT [UID]` prints what it was answered, or the error.
import { connect, createServer } from 'node:net';

const [, , verb, address = '', port = '', more = ''] = process.argv;

if (verb === 'listen') {
  createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(`${more} from ${socket.remoteAddress ?? ''}`);
  }).listen({ host: address, port: Number(port) }, () => process.stdout.write('listening\n'));
} else {
  if (more !== '') process.setgid?.(Number(more));
  if (more !== '') process.setuid?.(Number(more));
  const socket = connect({ host: address, port: Number(port), timeout: 2000 });
  socket.on('data', (chunk) => process.stdout.write(chunk));
  socket.on('error', (error: NodeJS.ErrnoException) => process.stdout.write(error.code ?? 'error'));
  socket.on('timeout', () => {
    process.stdout.write('time-out');
    socket.destroy();
  });
}
