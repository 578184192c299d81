// The gRPC part of the host.
import type { HostGrpc } from '../../../ports/grpc.ts';
import { connectGrpc } from './client.ts';
import { serveGrpc } from './server.ts';

export const nodeGrpc: HostGrpc = { serve: serveGrpc, connect: connectGrpc };
